import { cpSync, lstatSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { folderNames } from "../../lib/folder-names.ts";
import { addExtension, keepExtensions } from "./extension.ts";
import { copyProjects, keepProjects, PROJECTS } from "./projects.ts";
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

export interface PrivateHome {
  readonly home: string;
  readonly trustedFolders: string;
  /** The name of our extension, if there is one. */
  readonly extension: string | undefined;
  /** Moves what Gemini wrote beside the shared files to the user's folder. */
  readonly end: () => void;
}

interface HomeParts {
  readonly settings: Settings;
  /** The files of an extension of ours. Without any there is none. */
  readonly extension: Readonly<Record<string, string>>;
}

/**
 * A home for one launch, in which everything is a link to the user's own but for the settings. Gemini takes hooks only
 * from settings files, and a settings file of the system must belong to root.
 */
export function makeHome(folder: string, env: NodeJS.ProcessEnv, { settings, extension }: HomeParts): PrivateHome {
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
