import { type Dirent, existsSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import type { AgentStart, InstallParts, ManagedSwitch, TrustedFiles } from "../../contract/agent-install.ts";
import { MAX_SETTINGS, readBounded, textIfReadable } from "../../lib/files/read-file.ts";
import { isRecord, strings } from "../../lib/json/json-value.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { sha256 } from "../../lib/json/sha256.ts";
import { isInside } from "../../lib/path/inside.ts";
import { gitTop } from "../../lib/path/workspace.ts";
import { isMissing } from "../../lib/text/user-error.ts";
import { namePaths } from "../install/instruction-file.ts";
import { homeOf, readSettings, settingsText } from "../install/read-settings.ts";
import { filesBelow, foldersDown, foldersUp } from "../install/walk-folders.ts";
import type { FindStartingFiles } from "../pack/agent-pack.ts";

/**
 * The files of a repository that an unattended Claude Code may load, because the user trusts every one. Also undefined
 * when there is nothing to trust: what a later checkout adds would run before anybody could read it.
 */
export function trustedFilesOf(parts: AgentStart): TrustedFiles | undefined {
  const folders = foldersUp(parts.cwd, parts.workspace);
  const { files, unfit } = claudeFiles(folders);
  const own = files.filter((path) => !passes(path, parts.staged));
  if (own.length === 0 || unfit.length > 0 || !own.every((path) => passes(path, parts.trusts))) return undefined;
  if (lookBelow(parts.workspace).claude.length > 0) return undefined;
  const hashed = files.map((path) => ({ path, hash: sha256(textIfReadable(path) ?? "") }));
  return { workspace: parts.workspace, folders, files: hashed };
}

/** Settings of a repository that are not loaded, but whose deny and ask rules still apply. Warns about what is missing. */
export function leaveOut(parts: InstallParts): readonly Readonly<Record<string, unknown>>[] {
  const { workspace, warn } = parts;
  const folders = foldersUp(parts.cwd, workspace);
  const { files, unfit } = claudeFiles(folders);
  const below = lookBelow(workspace);
  const unknown = files.filter((path) => !passes(path, parts.trusts) && !passes(path, parts.staged));
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

function passes(path: string, check: AgentStart["trusts"]): boolean {
  const text = textIfReadable(path);
  return text !== undefined && check(path, text);
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

const MAX_CONFIGURATION = 64 * 1024 * 1024;

const MAX_POINTER = 65_536;

type Servers = Readonly<Record<string, unknown>>;

/**
 * The person's own MCP servers of this project, which `claude mcp add` keeps in the home folder. Claude Code drops them
 * together with the settings of the repository. None when the home cannot be read or is inside the workspace.
 */
export function ownServers(cwd: string, env: NodeJS.ProcessEnv, workspace: string): Servers {
  const file = configuration(env, cwd);
  if (!existsSync(file) || isInside(realpathSync(file), workspace)) return {};
  const projects = readSettings(file, MAX_CONFIGURATION)?.["projects"];
  const project = isRecord(projects) ? projects[projectFolder(realpathSync(cwd))] : undefined;
  if (!isRecord(project) || !isRecord(project["mcpServers"])) return {};
  const off = strings(project["disabledMcpServers"]) ?? [];
  return Object.fromEntries(Object.entries(project["mcpServers"]).filter(([name]) => !off.includes(name)));
}

/** The file in which Claude Code keeps its projects. The older place wins while it exists. */
function configuration(env: NodeJS.ProcessEnv, cwd: string): string {
  const given = env["CLAUDE_CONFIG_DIR"] ?? "";
  const home = homeOf(env);
  const older = join(given === "" ? join(home, ".claude") : resolve(cwd, given), ".config.json");
  return existsSync(older) ? older : join(given === "" ? home : resolve(cwd, given), ".claude.json");
}

/** Claude Code's key for a project: the top of its repository, or of the main work tree for a linked one. */
function projectFolder(cwd: string): string {
  const top = gitTop(cwd);
  if (top === undefined) return cwd;
  const { folder, commonFolder } = top;
  if (commonFolder === undefined || basename(commonFolder) !== ".git" || !knowsTree(commonFolder, folder))
    return folder;
  return dirname(commonFolder);
}

/** A `.git` file that points to another repository is believed only when that repository points back. */
function knowsTree(commonFolder: string, tree: string): boolean {
  const admin = join(commonFolder, "worktrees");
  if (!existsSync(admin)) return false;
  return readdirSync(admin).some((name) => {
    const back = textIfReadable(join(admin, name, "gitdir"), MAX_POINTER);
    return back !== undefined && resolve(admin, name, back.trim()) === join(tree, ".git");
  });
}

export const MANAGED_FOLDERS = ["/etc/claude-code", "/Library/Application Support/ClaudeCode"];

const OFF = /"(?:disableAllHooks|allowManagedHooksOnly)":true/;

/** The first of Claude Code's managed settings files, drop-ins included, that keeps our hooks out or cannot be read. */
export function claudeManaged(root: string): ManagedSwitch | undefined {
  for (const folder of MANAGED_FOLDERS) {
    const names = dropIns(join(root, folder, "managed-settings.d"));
    if (names === undefined) return { file: `${folder}/managed-settings.d`, state: "unread" };
    for (const name of ["managed-settings.json", ...names]) {
      const state = stateOf(join(root, folder, name), names.includes(name));
      if (state !== "fine") return { file: `${folder}/${name}`, state };
    }
  }
  return undefined;
}

/** What an administrator has set, file by file. Unreadable files are skipped: the check above reports them. */
export function claudeManagedSettings(root: string): readonly ManagedSettings[] {
  return MANAGED_FOLDERS.flatMap((folder) =>
    ["managed-settings.json", ...(dropIns(join(root, folder, "managed-settings.d")) ?? [])].flatMap((name) => {
      const settings = readSettings(join(root, folder, name));
      return settings === undefined ? [] : [{ file: `${folder}/${name}`, settings }];
    }),
  );
}

interface ManagedSettings {
  readonly file: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The settings files in that folder, relative to its parent; undefined when it cannot be listed. */
function dropIns(folder: string): readonly string[] | undefined {
  const counts = (entry: Dirent) => entry.name.endsWith(".json") && (entry.isFile() || entry.isSymbolicLink());
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).filter(counts);
    return entries.map(({ name }) => `managed-settings.d/${name}`).toSorted();
  } catch (error) {
    return isMissing(error) ? [] : undefined;
  }
}

/** A listed file that is missing is not fine: a dangling link may get a target later. */
function stateOf(path: string, listed: boolean): ManagedSwitch["state"] | "fine" {
  try {
    const text = settingsText(readBounded(path, MAX_SETTINGS).bytes);
    if (text.trim() === "") return "fine";
    const settings: unknown = parseJson(text);
    if (!isRecord(settings)) return "unread";
    // Serialized again, so that no escape in a key hides it.
    return OFF.test(JSON.stringify(settings)) ? "off" : "fine";
  } catch (error) {
    return isMissing(error) && !listed ? "fine" : "unread";
  }
}

export const startingFiles: FindStartingFiles = ({ workspace }) => {
  const { files, unfit } = claudeFiles([workspace]);
  return { files: files.map((path) => ({ path })), unfit };
};

type Settings = Readonly<Record<string, unknown>>;

/**
 * Settings whose deny and ask rules keep their meaning in another file. Claude Code resolves `/x` against a folder that it
 * derives from the settings file, so for each folder that may be meant a rule with the absolute path is added. This is done
 * for every tool: where `/x` is not a path, the extra rule is harmless. Rules that are not strings are dropped, as in Claude Code.
 */
export function anchored(settings: Settings, folders: readonly string[]): Settings {
  const { permissions } = settings;
  if (!isRecord(permissions)) return settings;
  const bases = [...new Set(folders.flatMap((folder) => [folder, folder.normalize("NFC")]))].map(plainPattern);
  const lists = ["deny", "ask"].flatMap((name) => {
    const rules: unknown = permissions[name];
    if (!Array.isArray(rules)) return [];
    const texts = rules.filter((rule) => typeof rule === "string");
    return [[name, texts.flatMap((rule) => [rule, ...wholePaths(rule, bases)])]];
  });
  return { ...settings, permissions: { ...permissions, ...Object.fromEntries(lists) } };
}

function wholePaths(rule: string, bases: readonly string[]): readonly string[] {
  const head = /^[^(]*\((?=\/(?!\/))/.exec(rule)?.[0];
  return head === undefined ? [] : bases.map((base) => `${head}/${base}${rule.slice(head.length)}`);
}

/** Characters that have a meaning in patterns, or in the rule's own syntax, become `?`, which matches any one. */
function plainPattern(folder: string): string {
  return folder === "/" ? "" : folder.replaceAll(/[^\w./\-\u0080-\uFFFF]/g, "?");
}
