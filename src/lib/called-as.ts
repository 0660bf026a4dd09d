import { realpathSync } from "node:fs";
import { delimiter, isAbsolute, join, relative } from "node:path";
import { findProgram } from "./find-program.ts";
import { packageRoot } from "./package-root.ts";
import { shQuote } from "./sh-quote.ts";

/**
 * The word with which the user can start this signalbox in a shell: its name if that is on PATH, the way through npx if
 * it came that way, otherwise its path.
 */
export function calledAs(env: NodeJS.ProcessEnv, cwd: string, program = join(packageRoot(), "bin/signalbox")): string {
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
