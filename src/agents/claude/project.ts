import { existsSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import type { TrustedFiles } from "../../contract/agent-hooks.ts";
import type { InstallParts } from "../../contract/agent-install.ts";
import { sha256 } from "../../lib/sha256.ts";
import { filesBelow, foldersDown, foldersUp } from "../install/walk-folders.ts";
import { namePaths } from "../install/instruction-file.ts";
import { readSettings, textOf } from "../install/read-settings.ts";
import { anchored } from "./anchored-rules.ts";

type Trusting = Pick<InstallParts, "cwd" | "workspace" | "trusts" | "staged">;

/**
 * The files of a repository that an unattended Claude Code may load, because the user trusts every one. Also undefined
 * when there is nothing to trust: what a later checkout adds would run before anybody could read it.
 */
export function trustedFilesOf(parts: Trusting): TrustedFiles | undefined {
  const folders = foldersUp(parts.cwd, parts.workspace);
  const { files, unfit } = claudeFiles(folders);
  const own = files.filter((path) => !isStaged(path, parts));
  if (own.length === 0 || unfit.length > 0 || !own.every((path) => isTrusted(path, parts))) return undefined;
  if (lookBelow(parts.workspace).claude.length > 0) return undefined;
  const hashed = files.map((path) => ({ path, hash: sha256(textOf(path) ?? "") }));
  return { workspace: parts.workspace, folders, files: hashed };
}

/** Settings of a repository that are not loaded, but whose deny and ask rules still apply. Warns about what is missing. */
export function leaveOut(parts: InstallParts): readonly Readonly<Record<string, unknown>>[] {
  const { workspace, warn } = parts;
  const folders = foldersUp(parts.cwd, workspace);
  const { files, unfit } = claudeFiles(folders);
  const below = lookBelow(workspace);
  const unknown = files.filter((path) => !isTrusted(path, parts) && !isStaged(path, parts));
  const reasons = [...unknown, ...unfit, ...below.claude];
  const names = (paths: readonly string[]) => namePaths(paths, workspace);
  if (reasons.length > 0)
    warn(
      `${names(reasons)} in this repository can start programs and is not trusted: Claude Code gets its CLAUDE.md or AGENTS.md and its deny and ask rules, but not its hooks, servers, skills, commands or agents. Review it, then run: signalbox trust`,
    );
  const given = foldersDown(parts.cwd, workspace);
  const local = folders
    .filter((folder) => !given.includes(folder))
    .map((folder) => join(folder, "CLAUDE.local.md"))
    .filter((path) => existsSync(path));
  const unread = [...local, ...below.memory];
  if (unread.length > 0)
    warn(`in a headless start Claude Code does not load ${names(unread)}; mention it in the prompt if needed`);
  // Claude Code resolves their `/x` against the folder of the start; its author may have meant the folder of the file.
  const here = realpathSync(parts.cwd);
  return files
    .filter((path) => path.endsWith(".json"))
    .map((path) => anchored(readSettings(path) ?? {}, [here, dirname(dirname(path))]));
}

function isTrusted(path: string, { trusts }: Pick<Trusting, "trusts">): boolean {
  const text = textOf(path);
  return text !== undefined && trusts(path, text);
}

function isStaged(path: string, { staged }: Pick<Trusting, "staged">): boolean {
  const text = textOf(path);
  return text !== undefined && staged(path, text);
}

const MAX_FOLDERS = 4000;

/** What Claude Code would read from subfolders once it works there. Limited, because the start waits for it. */
function lookBelow(workspace: string): { readonly claude: readonly string[]; readonly memory: readonly string[] } {
  const [claude, memory]: [string[], string[]] = [[], []];
  const queue = [workspace];
  for (let index = 0; index < queue.length && index < MAX_FOLDERS; index++) {
    const folder = queue[index] ?? "";
    for (const { name, isFolder } of entriesOf(folder)) {
      const path = join(folder, name);
      if (folder !== workspace && name === ".claude") claude.push(path);
      else if (folder !== workspace && name === "CLAUDE.md") memory.push(path);
      else if (isFolder && name !== ".git" && name !== "node_modules" && name !== ".claude") queue.push(path);
    }
  }
  return { claude, memory };
}

function entriesOf(folder: string): readonly { readonly name: string; readonly isFolder: boolean }[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
  } catch {
    return [];
  }
}

/** Files of a folder from which Claude Code starts programs. */
const STARTING = [".claude/settings.json", ".claude/settings.local.json", ".mcp.json"];
/** Folders whose files may define hooks and servers. */
const TEXTS = [".claude/skills", ".claude/commands", ".claude/agents", ".claude/workflows"];

export interface ClaudeFiles {
  /** Files that may start a program, now or after their next change. */
  readonly files: readonly string[];
  /** Folders that cannot be trusted file by file. */
  readonly unfit: readonly string[];
}

/** What Claude Code would load from these folders. The content is not considered, so no spelling of a key can hide one. */
export function claudeFiles(folders: readonly string[]): ClaudeFiles {
  const files: string[] = [];
  const unfit: string[] = [];
  for (const folder of folders) {
    files.push(...STARTING.map((name) => join(folder, name)).filter((path) => existsSync(path)));
    for (const place of TEXTS.map((name) => join(folder, name))) {
      const found = filesBelow(place);
      // A plugin among the skills can name programs in any of its files.
      if (found === undefined || found.some((path) => path.includes(`${sep}.claude-plugin${sep}`))) unfit.push(place);
      else files.push(...found.filter((path) => place.endsWith("workflows") || /\.md$/i.test(path)));
    }
  }
  return { files, unfit };
}
