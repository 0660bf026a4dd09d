import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { ImportFiles, RuleImport } from "../../agents/pack/rule-import.ts";
import { MAX_SETTINGS, readBounded } from "../../lib/files/read-file.ts";
import { isInside } from "../../lib/path/inside.ts";
import { errorCode, messageOf, UserError } from "../../lib/text/user-error.ts";

const MAX_FILES = 200;

/**
 * The files that are named, or those that the agent would read. A file that is there and cannot be read is an error:
 * it may restrict something.
 */
export function readRuleFiles(
  named: readonly string[],
  places: () => ReturnType<RuleImport["folders"]>,
  shown: { readonly home: string; readonly workspace: string },
): ImportFiles {
  const paths = named.length > 0 ? named : found(places());
  if (paths.length > MAX_FILES)
    throw new UserError(`${paths.length} rules files are too many`, { fix: "name some of them: --from FILE" });
  return paths.map((path) => ({ path: shortPath(path, shown), text: textOf(path) }));
}

function found({ files, below }: ReturnType<RuleImport["folders"]>): readonly string[] {
  return [...files.filter((path) => existsSync(path)), ...below.flatMap(([folder, ending]) => namesIn(folder, ending))];
}

/** Only the folder itself: a link to a folder above would never end. */
function namesIn(folder: string, ending: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(ending));
    return names.toSorted().map((name) => join(folder, name));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw unreadable(folder, error);
  }
}

function textOf(path: string): string {
  try {
    const { bytes } = readBounded(path, MAX_SETTINGS);
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw unreadable(path, error);
  }
}

const unreadable = (where: string, cause: unknown) =>
  new UserError(`these rules cannot be read: ${messageOf(cause)}`, {
    where,
    fix: "make it a readable text file of at most 4 MB, or name others: --from FILE",
    cause,
  });

/** As it stands in a report and in a policy: no folder names of this machine where it can be helped. */
function shortPath(path: string, { home, workspace }: { readonly home: string; readonly workspace: string }): string {
  if (isInside(path, workspace)) return path.slice(workspace.length + 1);
  return isInside(path, home) ? `~${path.slice(home.length)}` : path;
}
