import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { atomicWrite } from "../../lib/files/atomic-write.ts";
import { folderNames } from "../../lib/files/folder-tree.ts";
import { randomId } from "../../lib/files/random-id.ts";
import { textIfThere } from "../../lib/files/read-file.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { systemProgram } from "../../lib/path/find-program.ts";
import { unsettableNames } from "../../lib/process/dangerous-variables.ts";
import { geminiHome, type Settings } from "./settings.ts";

/** What of the user's folder is not shared with a launch: the settings have our hooks, and no folder counts as trusted. */
const OURS = ["settings.json", "trustedFolders.json"];

/** Files that Gemini makes when they are missing, and that must outlive the launch: logins, sessions, its own records. */
const LASTING_FILES = [
  "oauth_creds.json",
  "google_accounts.json",
  "gemini-credentials.json",
  "mcp-oauth-tokens.json",
  "installation_id",
  "state.json",
  "GEMINI.md",
];

const LASTING_FOLDERS = ["tmp", "history", "policies"];

const EXTENSIONS = "extensions";

/** Beside `.gemini` in the home: skills, and the user's own variables. */
const BESIDE = [".agents", ".env"];

interface PrivateHome {
  readonly home: string;
  readonly trustedFolders: string;
  /** The name of our extension, if there is one. */
  readonly extension: string | undefined;
  /** Moves what Gemini wrote beside the shared files to the user's folder. */
  readonly end: () => void;
}

/**
 * A home for one launch, in which everything is a link to the user's own but for the settings. Gemini takes hooks only
 * from settings files, and a settings file of the system must belong to root. `extension` are the files of one of ours.
 */
export function makeHome(
  folder: string,
  env: NodeJS.ProcessEnv,
  settings: Settings,
  extension: Readonly<Record<string, string>>,
): PrivateHome {
  const own = geminiHome(env);
  const home = join(folder, "gemini");
  const shared = join(home, ".gemini");
  mkdirSync(shared, { recursive: true, mode: 0o700 });
  for (const name of LASTING_FOLDERS) mkdirSync(join(own.folder, name), { recursive: true, mode: 0o700 });
  const hasExtension = Object.keys(extension).length > 0;
  const ours = [...OURS, PROJECTS, ...(hasExtension ? [EXTENSIONS] : [])];
  for (const name of new Set([...folderNames(own.folder), ...LASTING_FILES]))
    if (!ours.includes(name)) symlinkSync(join(own.folder, name), join(shared, name));
  for (const name of BESIDE) if (exists(join(own.home, name))) symlinkSync(join(own.home, name), join(home, name));
  const projects = { shared: join(shared, PROJECTS), own: join(own.folder, PROJECTS) };
  copyProjects(projects.own, projects.shared);
  write(join(shared, "settings.json"), settings);
  const trustedFolders = join(shared, "trustedFolders.json");
  write(trustedFolders, {});
  const extensions = { shared: join(shared, EXTENSIONS), own: join(own.folder, EXTENSIONS) };
  const added = hasExtension ? addExtension(extensions, extension) : undefined;
  const end = () => {
    keepNew(shared, own.folder, ours);
    keepProjects(projects.shared, projects.own);
    if (added !== undefined) keepExtensions(extensions, added);
  };
  return { home, trustedFolders, extension: added, end };
}

const write = (path: string, value: object) => writeFileSync(path, JSON.stringify(value), { mode: 0o600 });

/** Files that were replaced or added in place of links. A folder is only copied where there was none. */
function keepNew(from: string, to: string, ours: readonly string[]): void {
  for (const name of folderNames(from)) {
    const stat = lstatSync(join(from, name));
    if (ours.includes(name) || stat.isSymbolicLink()) continue;
    if (stat.isDirectory() && exists(join(to, name))) continue;
    // Renamed in place, so that another session never reads half a file.
    const temporary = join(to, `.${name}.signalbox`);
    cpSync(join(from, name), temporary, { recursive: true });
    renameSync(temporary, join(to, name));
  }
}

const exists = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** The folders with extensions, of a launch and of the user. */
interface ExtensionFolders {
  readonly shared: string;
  readonly own: string;
}

/** Puts an extension of ours beside links to the user's own. Returns its name. */
function addExtension({ shared, own }: ExtensionFolders, files: Readonly<Record<string, string>>): string {
  const names = folderNames(own);
  // Gemini does not start with two extensions of one name.
  const name = names.includes("signalbox") ? `signalbox-${randomId()}` : "signalbox";
  mkdirSync(shared, { recursive: true, mode: 0o700 });
  for (const other of names) symlinkSync(join(own, other), join(shared, other));
  const described = { ...files, "gemini-extension.json": JSON.stringify({ name, version: "1.0.0" }) };
  for (const [path, text] of Object.entries(described)) {
    const file = join(shared, name, path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, text, { mode: 0o600 });
  }
  return name;
}

/** Moves what was installed or updated during the session to the user's own. */
function keepExtensions({ shared, own }: ExtensionFolders, ours: string): void {
  for (const name of folderNames(shared)) {
    if (name === ours || lstatSync(join(shared, name)).isSymbolicLink()) continue;
    const temporary = join(own, `.${name}.signalbox`);
    mkdirSync(own, { recursive: true, mode: 0o700 });
    cpSync(join(shared, name), temporary, { recursive: true });
    if (existsSync(join(own, name))) rmSync(join(own, name), { recursive: true });
    renameSync(temporary, join(own, name));
  }
}

/**
 * Gemini's list of projects. A launch has a copy and no link, because Gemini replaces the file while other parts of it
 * still resolve the link, and then it crashes.
 */
const PROJECTS = "projects.json";

function copyProjects(from: string, to: string): void {
  const content = textOf(from);
  if (content !== undefined) atomicWrite(to, content);
}

/** Adds what a launch wrote to the user's list, which another session may have changed meanwhile. */
function keepProjects(from: string, to: string): void {
  const [added, own] = [projectsIn(textOf(from)), projectsIn(textOf(to))];
  const projects = { ...own, ...added };
  if (Object.keys(projects).length > Object.keys(own).length)
    atomicWrite(to, JSON.stringify({ projects }, undefined, 2));
}

function textOf(path: string): string | undefined {
  try {
    return textIfThere(path);
  } catch {
    // Not a regular file, or not readable: Gemini begins a new list.
    return undefined;
  }
}

function projectsIn(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value = text === undefined ? undefined : parseJson(text);
    return isRecord(value) && isRecord(value["projects"]) ? value["projects"] : {};
  } catch {
    return {};
  }
}

/** Gemini reads a repository's `.gemini/.env`, but takes no variable from it that is set already. */
export function geminiEnvironment(env: NodeJS.ProcessEnv, folder: string, cwd: string): NodeJS.ProcessEnv {
  const names = [...ADMINISTRATORS, ...LOAD_CODE, ...repositoryNames(cwd, geminiHome(env).folder)];
  return {
    ...emptied(names),
    ...env,
    ...emptied(CHANGE_GUARD),
    PATH: withBash(env["PATH"] ?? "", folder),
  };
}

const emptied = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, ""]));

/** Each could make Gemini skip our hooks, or start a program. */
const CHANGE_GUARD = [
  "GEMINI_RESTRICTED_MODE",
  "GEMINI_CLI_INTEGRATION_TEST",
  "VITEST",
  "SANDBOX",
  "GEMINI_SANDBOX",
  "GEMINI_CLI_IDE_SERVER_STDIO_COMMAND",
  "GEMINI_CLI_IDE_SERVER_STDIO_ARGS",
];

/** Where an administrator's wrapper script may have put settings. */
const ADMINISTRATORS = ["GEMINI_CLI_SYSTEM_SETTINGS_PATH", "GEMINI_CLI_SYSTEM_DEFAULTS_PATH"];

/** Without a value each of them loads nothing. */
const LOAD_CODE = unsettableNames({ kinds: ["preload", "code"] });

/** Variables that a repository may set: which account and model to use. */
const HARMLESS = ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION", "GEMINI_MODEL"];

/** The other names in the `.gemini/.env` of this folder and of all above it, but for the user's own. */
function repositoryNames(cwd: string, own: string): readonly string[] {
  const names: string[] = [];
  for (let folder = realpathSync(cwd); ; folder = dirname(folder)) {
    const file = join(folder, ".gemini", ".env");
    if (existsSync(file) && dirname(file) !== own) names.push(...namesIn(file));
    if (folder === dirname(folder)) return names.filter((name) => !HARMLESS.includes(name));
  }
}

/** Whatever a reader of such files might take for a name, also inside of a value. */
function namesIn(file: string): readonly string[] {
  try {
    return [...readFileSync(file, "utf8").matchAll(/([\w.-]+)[ \t]*[=:]/g)].map(([, name]) => name ?? "");
  } catch {
    // Gemini cannot read it either.
    return [];
  }
}

/** Gemini runs commands and hooks with the first `bash` on PATH, which must be the system's. */
function withBash(path: string, folder: string): string {
  const bash = systemProgram("bash");
  if (bash === undefined) return path;
  const first = join(folder, "gemini-bin");
  mkdirSync(first, { mode: 0o700 });
  symlinkSync(bash, join(first, "bash"));
  return path === "" ? first : `${first}${delimiter}${path}`;
}
