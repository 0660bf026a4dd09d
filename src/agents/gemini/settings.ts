import { join } from "node:path";
import { textIfReadable } from "../../lib/files/read-file.ts";
import type { ManagedSwitch } from "../../contract/agent-install.ts";
import { isRecord, strings } from "../../lib/json/json-value.ts";
import { stringEnd } from "../../lib/json/parse-json.ts";
import { homeOf, parseSettings } from "../install/read-settings.ts";
import { findManaged } from "../install/refuse.ts";

export type Settings = Readonly<Record<string, unknown>>;

/** The user's folder with settings, rules and sessions, and the home that Gemini finds it in. */
export function geminiHome(env: NodeJS.ProcessEnv): { readonly home: string; readonly folder: string } {
  const given = env["GEMINI_CLI_HOME"] ?? "";
  const home = given === "" ? homeOf(env) : given;
  return { home, folder: join(home, ".gemini") };
}

/** The settings in a file of Gemini's, which may have comments; undefined when they are not a JSON object. */
export const geminiSettings = (text: string): Settings | undefined =>
  text.trim() === "" ? {} : parseSettings(stripComments(text));

/** A table in the settings; empty when there is none. */
export function tableIn(settings: Settings, name: string): Settings {
  const table = settings[name];
  return isRecord(table) ? table : {};
}

/** The words in a list; empty when it is none. */
export const wordsIn = (settings: Settings, name: string): readonly string[] => strings(settings[name]) ?? [];

/** The settings of the user and of the administrator, as far as they can be read. */
export function readSettingsOf(
  env: NodeJS.ProcessEnv,
): readonly { readonly file: string; readonly settings: Settings }[] {
  const files = [join(geminiHome(env).folder, "settings.json"), ...systemFiles(env)];
  return files.flatMap((file) => {
    const text = textIfReadable(file);
    const settings = text === undefined ? undefined : geminiSettings(text);
    return settings === undefined ? [] : [{ file, settings }];
  });
}

/** The administrator's settings files. A wrapper script of the administrator may name others. */
export const systemFiles = (env: NodeJS.ProcessEnv, root = "/"): readonly string[] => [
  ...[env["GEMINI_CLI_SYSTEM_SETTINGS_PATH"], env["GEMINI_CLI_SYSTEM_DEFAULTS_PATH"]].flatMap((file) =>
    file === undefined || file === "" ? [] : [file],
  ),
  ...SYSTEM_FOLDERS.flatMap((folder) =>
    ["settings.json", "system-defaults.json"].map((name) => join(root, folder, name)),
  ),
];

export const SYSTEM_FOLDERS = ["/etc/gemini-cli", "/Library/Application Support/GeminiCli"];

/** Hooks switched off; or every folder trusted, so that a repository's settings could switch them off. */
const OFF = /"(?:hooksConfig|folderTrust)"\s*:\s*\{[^{}]*"enabled"\s*:\s*false/;

const FILES = SYSTEM_FOLDERS.map((folder) => `${folder}/settings.json`);

/** The administrator's settings override the user's, and so ours. */
export const geminiManaged = (root: string, files = FILES): ManagedSwitch | undefined =>
  findManaged(
    files.map((path) => ({ path, off: OFF })),
    root,
  );

/** JSON without the comments that some agents allow in their settings. Comments become blanks, so that lines stay. */
export function stripComments(text: string): string {
  let plain = "";
  for (let at = 0; at < text.length;) {
    const end = partEnd(text, at);
    const part = text.slice(at, end);
    plain += /^\/[/*]/.test(part) ? part.replaceAll(/[^\n]/g, " ") : part;
    at = end;
  }
  return plain;
}

/** Where the string, the comment or the other character that begins at `at` ends. */
function partEnd(text: string, at: number): number {
  if (text[at] === '"') return Math.min(stringEnd(text, at) + 1, text.length);
  const closing = text.startsWith("//", at) ? "\n" : text.startsWith("/*", at) ? "*/" : undefined;
  if (closing === undefined) return at + 1;
  const end = text.indexOf(closing, at + 2);
  if (end === -1) return text.length;
  return closing === "\n" ? end : end + closing.length;
}
