import { existsSync, readFileSync, realpathSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, relative } from "node:path";
import { findProgram } from "./find-program.ts";
import { shQuote } from "../text/shell-words.ts";

/** The folder of our own package, both from the sources and from the release. */
export function packageFolder(start: string = import.meta.dirname): string {
  for (let folder = start; ; folder = dirname(folder)) {
    const manifest = join(folder, "package.json");
    if (existsSync(manifest) && /"name":\s*"signalbox"/.test(readFileSync(manifest, "utf8"))) return folder;
    if (dirname(folder) === folder) throw new Error("the signalbox package is incomplete: package.json is missing");
  }
}

/** Whether we run from the sources; otherwise from `dist/`. */
export const runsFromSources = import.meta.filename.endsWith(".ts");

/** Our helper for this processor (sandbox-init/), or undefined where there is none. */
export function helperProgram(platform = `${process.platform}-${process.arch}`): string | undefined {
  const file = join(packageFolder(), "sandbox-init", "bin", platform);
  return existsSync(file) ? file : undefined;
}

/**
 * The word with which the user can start this signalbox in a shell: its name if that is on PATH, the way through npx if
 * it came that way, otherwise its path.
 */
export function calledAs(
  env: NodeJS.ProcessEnv,
  cwd: string,
  program = join(packageFolder(), "bin/signalbox"),
): string {
  const npx = env["npm_command"] === "exec";
  // npx adds such folders to PATH only for us.
  const folders = (env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !(npx && folder.endsWith("node_modules/.bin")));
  const found = findProgram("signalbox", folders.join(delimiter));
  if (found !== undefined && samePath(found, program)) return "signalbox";
  if (npx) return "npx signalbox";
  const near = relative(cwd, program);
  const path = near.startsWith("..") ? program : `./${near}`;
  return /^[\w./@+-]+$/.test(path) ? path : shQuote(path);
}

function samePath(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}
