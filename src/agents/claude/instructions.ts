import { existsSync, mkdirSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { InstallParts } from "../../contract/agent-install.ts";
import { isInside } from "../../lib/path/inside.ts";
import { readImports } from "../../lib/text/read-imports.ts";
import { type LeftOut, leftOutLine, type ReadingRights, readInstruction } from "../install/instruction-file.ts";
import { isFlag } from "../install/refuse.ts";
import { filesBelow, foldersDown, foldersUp } from "../install/walk-folders.ts";

type Parts = Pick<InstallParts, "cwd" | "workspace" | "folder" | "flags" | "mayRead" | "warn">;

const LOCAL = "CLAUDE.local.md";

const MEMORY = ["CLAUDE.md", ".claude/CLAUDE.md"];

const RULES = ".claude/rules";

/** Claude Code does not read AGENTS.md when one of these exists. */
const PREFERRED = [...MEMORY, LOCAL];

interface Instructions {
  readonly flags: readonly string[];
  /** Patterns of files that Claude Code must not read as instructions, even in a folder that the person adds. */
  readonly excludes: readonly string[];
}

/**
 * Flags that give Claude Code the instructions of a repository whose settings it does not load. It reads CLAUDE.md and
 * rules itself from the folders that we add, unless one of them or of their imports must not be read. In that case they are
 * copied into the CLAUDE.md of a private folder, as CLAUDE.local.md and AGENTS.md always are. That way sub-agents get them
 * too, a resumed session gets the current text, and `--append-system-prompt` stays free for the person.
 */
export function claudeInstructions(parts: Parts): Instructions {
  const folders = memoryFolders(parts);
  const { files, unread } = memoryFiles([...new Set([...folders, ...ownFolders(parts)])]);
  const own = unread.length === 0 && mayReadItself(files, parts);
  const given = own ? givenFolders(folders, parts) : [];
  const { parts: texts, leftOut } = expandImports([...(own ? [] : files), ...otherFiles(parts)], parts);
  const line = leftOutLine("Claude Code", [...unread, ...leftOut], parts.workspace);
  if (line !== undefined) parts.warn(line);
  const added = texts.length === 0 ? given : [...given, privateFolder(texts, parts)];
  return { flags: added.flatMap((folder) => ["--add-dir", folder]), excludes: own ? [] : [below(parts.workspace)] };
}

/** A pattern for all files below a folder. Characters that have a meaning in patterns become `?`. */
function below(folder: string): string {
  return join(folder.replaceAll(/[!-,:-@[-^`{-~]/g, "?"), "**");
}

/** The workspace, all folders down to the one of the start, and the main work tree if it is inside. */
function memoryFolders({ cwd, workspace }: Parts): readonly string[] {
  return foldersUp(cwd, workspace)
    .filter((folder) => isInside(folder, workspace))
    .toSorted((one, other) => one.length - other.length);
}

/** Folders of the workspace that the person may add. Only Claude Code knows which words are values of `--add-dir`. */
function ownFolders({ flags, cwd, workspace }: Parts): readonly string[] {
  if (!flags.some((word) => isFlag(word, "--add-dir"))) return [];
  const paths = flags.map((word) => resolve(cwd, word.replace(/^--add-dir=/, "")));
  return paths.flatMap((path) => {
    try {
      const real = realpathSync(path);
      return isInside(real, workspace) && statSync(real).isDirectory() ? [real] : [];
    } catch {
      return [];
    }
  });
}

/** The folder of the start, and those above it that contain instructions. */
function givenFolders(folders: readonly string[], { cwd }: Parts): readonly string[] {
  const here = realpathSync(cwd);
  return folders.filter(
    (folder) => folder === here || [...MEMORY, RULES].some((name) => existsSync(join(folder, name))),
  );
}

/** What Claude Code reads from these folders, and the folders of rules that cannot be searched. */
function memoryFiles(folders: readonly string[]): { readonly files: readonly string[]; readonly unread: LeftOut[] } {
  const files: string[] = [];
  const unread: LeftOut[] = [];
  for (const folder of folders) {
    files.push(...MEMORY.map((name) => join(folder, name)));
    const rules = join(folder, RULES);
    try {
      const found = filesBelow(rules);
      if (found === undefined) unread.push({ path: rules, because: "it contains too many files" });
      else files.push(...found.filter((path) => path.endsWith(".md")));
    } catch {
      unread.push({ path: rules, because: "it cannot be read" });
    }
  }
  return { files, unread };
}

/** CLAUDE.local.md, or AGENTS.md without a CLAUDE.md: Claude Code only reads them when it loads the folder's settings. */
function otherFiles(parts: Parts): readonly string[] {
  const folders = foldersDown(parts.cwd, parts.workspace);
  const hasText = (path: string) => {
    const file = readInstruction(path, 1024, parts);
    return file !== undefined && ("problem" in file || file.text.trim() !== "");
  };
  const isPreferred = folders.some((folder) => PREFERRED.some((name) => hasText(join(folder, name))));
  return folders.map((folder) => join(folder, isPreferred ? LOCAL : "AGENTS.md"));
}

function privateFolder(texts: readonly InstructionPart[], parts: Parts): string {
  const folder = join(parts.folder, "claude-instructions");
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, "CLAUDE.md"), texts.map(headed).join("\n\n"), { mode: 0o600 });
  return folder;
}

/** Introduces a file in Claude Code's own words. */
function headed({ path, text }: InstructionPart): string {
  const whose =
    basename(path) === LOCAL
      ? "user's private project instructions, not checked in"
      : "project instructions, checked into the codebase";
  return `Contents of ${path} (${whose}):\n\n${text.trimEnd()}`;
}

const MAX_PATHS = 2000;

const MAX_TOTAL_BYTES = 1024 * 1024;

const MAX_WORD = 1024;

/**
 * True when Claude Code may read these files by itself: they, and all files that could be taken for imports of theirs, are
 * ones that we would read for it. False when this cannot be decided within limits.
 */
function mayReadItself(paths: readonly string[], reading: ReadingRights): boolean {
  const queue = new Set(paths);
  let left = MAX_TOTAL_BYTES;
  for (const path of queue) {
    const file = readInstruction(path, left, reading);
    if (file === undefined) continue;
    if ("problem" in file || file.cut) return false;
    left -= file.bytes;
    const names = possibleImports(file.text);
    if (names === undefined) return false;
    // The agent may resolve imports of a linked file against the link or against the file.
    for (const folder of [dirname(path), dirname(realpathSync(path))])
      for (const name of names) queue.add(targetOf(name, folder));
    if (queue.size > MAX_PATHS) return false;
  }
  return true;
}

const WORD = /(?:\\ |\S)+/g;

const FOLDER_ONLY = /^[./~]*$/;

/**
 * Every path that may follow an `@`, in code and inside Markdown formatting too: `**@.env**` is an import, and what counts
 * as code depends on the reader. Undefined for a text that cannot be split into words reliably.
 */
export function possibleImports(text: string): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  for (const [word] of text.matchAll(WORD)) {
    if (!word.includes("@")) continue;
    if (word.length > MAX_WORD || word.includes("<!--") || word.includes("\\|")) return undefined;
    for (const { index } of word.matchAll(/@/g)) {
      const rest = word.slice(index + 1).replaceAll("\\ ", " ");
      // Markdown formatting may end the path: try each ASCII character that is unusual in names.
      for (const end of [...rest.matchAll(/[!-,:-@[-`{-~]|$/g)].map((mark) => mark.index)) {
        const name = rest.slice(0, end);
        if (!FOLDER_ONLY.test(name)) names.add(name);
      }
      if (names.size > MAX_PATHS) return undefined;
    }
  }
  return names;
}

/** One file of a repository's instructions. */
interface InstructionPart {
  readonly path: string;
  readonly text: string;
}

interface Expanded {
  readonly parts: readonly InstructionPart[];
  readonly leftOut: readonly LeftOut[];
}

/** Claude Code follows imports to this depth. */
const MAX_DEPTH = 5;

const MAX_FILES = 64;

const MAX_IMPORTED_BYTES = 256 * 1024;

/**
 * Files and the `@imports` in them, each once, in Claude Code's order, and only from inside the workspace. The imports in
 * the texts are put between backticks, so that they are not followed again.
 */
export function expandImports(paths: readonly string[], reading: ReadingRights): Expanded {
  const parts: InstructionPart[] = [];
  const leftOut: LeftOut[] = [];
  const seen = new Set<string>();
  let left = MAX_IMPORTED_BYTES;
  const add = (path: string, depth: number): void => {
    if (seen.has(path)) return;
    seen.add(path);
    if (parts.length >= MAX_FILES || left === 0) {
      leftOut.push({ path, because: `more than ${MAX_FILES} files or ${MAX_IMPORTED_BYTES} bytes` });
      return;
    }
    const file = readInstruction(path, left, reading);
    if (file === undefined) return;
    if ("problem" in file) {
      leftOut.push({ path, because: file.problem });
      return;
    }
    left -= file.bytes;
    if (file.cut) leftOut.push({ path, because: `cut at ${MAX_IMPORTED_BYTES} bytes in all` });
    const { text, imports } = readImports(file.text);
    if (text.trim() !== "") parts.push({ path, text });
    if (depth === MAX_DEPTH) return;
    for (const name of imports) {
      const target = targetOf(name, dirname(path));
      if (isInside(target, reading.workspace)) add(target, depth + 1);
      else leftOut.push({ path: target, because: "imported from outside the workspace" });
    }
  };
  for (const path of paths) add(path, 0);
  return { parts, leftOut };
}

/** The path to which an import in a file of this folder refers. */
export function targetOf(name: string, folder: string): string {
  return name.startsWith("~/") ? join(homedir(), name.slice(2)) : resolve(folder, name);
}
