import { existsSync, mkdirSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { isInside } from "../../lib/inside.ts";
import type { InstallParts } from "../../contract/agent-install.ts";
import { mayReadItself } from "./reads.ts";
import { isFlag } from "../install/refuse-switch-off.ts";
import { expandImports, type InstructionPart } from "./expand-imports.ts";
import { filesBelow } from "../install/files-below.ts";
import { foldersDown } from "../install/folders-down.ts";
import { foldersUp } from "../install/folders-up.ts";
import { readInstruction } from "../install/instruction-file.ts";
import { type LeftOut, leftOutLine } from "../install/left-out.ts";

type Parts = Pick<InstallParts, "cwd" | "workspace" | "folder" | "flags" | "mayRead" | "warn">;

const LOCAL = "CLAUDE.local.md";
const MEMORY = ["CLAUDE.md", ".claude/CLAUDE.md"];
const RULES = ".claude/rules";
/** Beside any of these, Claude Code reads no AGENTS.md. */
const PREFERRED = [...MEMORY, LOCAL];

interface Instructions {
  readonly flags: readonly string[];
  /** Patterns of files that Claude Code must not read as instructions, also when the person gives it their folder. */
  readonly excludes: readonly string[];
}

/**
 * Flags that give Claude Code the instructions of a repository whose settings it does not load. CLAUDE.md and rules it
 * reads itself from the folders that it is given, unless one of them or of their imports must not be read. Then they
 * come as CLAUDE.local.md and AGENTS.md always do, as the CLAUDE.md of a private folder: so sub-agents get them too, a
 * resumed session gets them as they are now, and no `--append-system-prompt` of the person's is replaced.
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

/** A pattern for all files below a folder; a sign that patterns may give a meaning stands for any one. */
function below(folder: string): string {
  return join(folder.replaceAll(/[!-,:-@[-^`{-~]/g, "?"), "**");
}

/** The workspace and all folders down to the one of the start, and the main work tree if it is inside too. */
function memoryFolders({ cwd, workspace }: Parts): readonly string[] {
  return foldersUp(cwd, workspace)
    .filter((folder) => isInside(folder, workspace))
    .toSorted((one, other) => one.length - other.length);
}

/** Folders of the workspace that the person may give to Claude Code: which words are values of `--add-dir` is up to it. */
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

/** The folder of the start, and those above it that have something to read. */
function givenFolders(folders: readonly string[], { cwd }: Parts): readonly string[] {
  const here = realpathSync(cwd);
  return folders.filter(
    (folder) => folder === here || [...MEMORY, RULES].some((name) => existsSync(join(folder, name))),
  );
}

/** What Claude Code reads of the folders that it is given, and the folders of rules that nobody can look through. */
function memoryFiles(folders: readonly string[]): { readonly files: readonly string[]; readonly unread: LeftOut[] } {
  const files: string[] = [];
  const unread: LeftOut[] = [];
  for (const folder of folders) {
    files.push(...MEMORY.map((name) => join(folder, name)));
    const rules = join(folder, RULES);
    try {
      const found = filesBelow(rules);
      if (found === undefined) unread.push({ path: rules, because: "it holds too many files" });
      else files.push(...found.filter((path) => path.endsWith(".md")));
    } catch {
      unread.push({ path: rules, because: "it cannot be read" });
    }
  }
  return { files, unread };
}

/** CLAUDE.local.md, or AGENTS.md where there is no CLAUDE.md: Claude Code reads them only together with settings. */
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

/** The words with which Claude Code itself introduces such a file. */
function headed({ path, text }: InstructionPart): string {
  const whose =
    basename(path) === LOCAL
      ? "user's private project instructions, not checked in"
      : "project instructions, checked into the codebase";
  return `Contents of ${path} (${whose}):\n\n${text.trimEnd()}`;
}
