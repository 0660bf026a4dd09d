import { lstatSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { blobId } from "../../lib/files/hash-file.ts";
import type { TrackedFiles } from "../../contract/machine.ts";
import { readBounded } from "../../lib/files/read-file.ts";
import { runGitBriefly } from "../../lib/process/run-git.ts";

const GIT_MS = 1000;
const MAX_FILE = 16 * 1024 * 1024;

/** None of these looks at the work tree, for which git would run filters that the repository names. */
const CHANGES = "diff-tree -r -m --root --no-commit-id --name-only -z --no-renames --no-ext-diff --no-textconv".split(
  " ",
);

/** See `Machine.gitChanges`. A separate part, which the hook loads only where git changes files. */
export function gitChanges(folder: string, revisions: readonly string[]): readonly string[] | undefined {
  return listed(folder, [...CHANGES, ...revisions, "--"]);
}

/** See `Machine.gitTracked`. */
export function gitTracked(folder: string, { pathspecs, tree, others }: TrackedFiles): readonly string[] | undefined {
  const withTree = tree === undefined ? [] : [`--with-tree=${tree}`];
  const kinds = others === undefined ? withTree : OTHERS[others];
  return listed(folder, ["ls-files", "-z", "--full-name", ...kinds, "--", ...pathspecs]);
}

const OTHERS = { untracked: ["-o", "--exclude-standard"], ignored: ["-o"] } as const;

/** See `Machine.gitAltered`. */
export function gitAltered(
  top: string,
  names: readonly string[],
  tree: string | undefined,
): readonly string[] | undefined {
  if (names.length === 0) return [];
  const lists = tree === undefined ? ["ls-files", "-s", "-z"] : ["ls-tree", "-z", "--full-tree", tree];
  const entries = listed(top, ["--literal-pathspecs", ...lists, "--", ...names]);
  if (entries === undefined) return undefined;
  const same = entries.flatMap((entry) => {
    const [, mode = "", id = "", name = ""] = /^(\d+) (?:blob )?([0-9a-f]+)[^\t]*\t([^]*)$/.exec(entry) ?? [];
    return isSame(join(top, name), mode, id) ? [name] : [];
  });
  return names.filter((name) => !same.includes(name));
}

function isSame(path: string, mode: string, id: string): boolean {
  try {
    const link = lstatSync(path).isSymbolicLink();
    if (link !== (mode === "120000")) return false;
    const bytes = link ? Buffer.from(readlinkSync(path)) : readBounded(path, MAX_FILE).bytes;
    return blobId(bytes, id.length) === id;
  } catch {
    // It is missing or cannot be read, so git would write it.
    return false;
  }
}

function listed(cwd: string, args: readonly string[]): readonly string[] | undefined {
  return runGitBriefly(args, { cwd }, GIT_MS)
    ?.toString("utf8")
    .split("\0")
    .filter((name) => name !== "");
}
