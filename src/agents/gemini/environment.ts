import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { unsettableNames } from "../../lib/dangerous-variables.ts";
import { systemProgram } from "../../lib/system-program.ts";
import { geminiHome } from "./settings.ts";

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
