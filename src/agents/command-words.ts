import { resolve } from "node:path";
import { isFile } from "../lib/is-program.ts";
import { EXIT, UserError } from "../lib/user-error.ts";
import { safeStart } from "./find-binary.ts";
import { searchPath, type SearchPlace } from "./search-path.ts";
import { isInWorkspace } from "./workspace-folders.ts";

/**
 * The words that start a program named by the user. A bare name, and the interpreter of a script, are only searched for
 * outside the workspace; a path is taken as given. A name that is not found is left to the system.
 */
export function commandWords(name: string, place: SearchPlace): readonly [string, ...string[]] {
  const named = name.includes("/") ? resolve(place.cwd, name) : undefined;
  const found = named === undefined ? searchPath(name, place) : { path: named, passedOver: [] };
  if (found.path === undefined) {
    if (found.passedOver[0] === undefined) return [name];
    throw refused(name, found.passedOver[0]);
  }
  if (!isFile(found.path) || isInWorkspace(found.path, place.avoid)) return [name];
  const start = safeStart(found.path, place);
  if ("inside" in start) throw refused(name, start.inside);
  return start.words;
}

function refused(name: string, path: string): UserError {
  return new UserError(`${name} is inside the workspace, so it is not started`, {
    where: path,
    fix: "if that is intended, use its full path; otherwise remove that folder from PATH",
    exitCode: EXIT.refused,
  });
}
