import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { runGit } from "../lib/run-git.ts";
import type { StoredFile } from "./file-moves.ts";
import { privateGit, type Shadow } from "./shadow.ts";

/** The shadow that has the content of a stored file. */
export type FindShadow = (file: Pick<StoredFile, "store" | "part">) => Shadow | undefined;

/**
 * Lays out stored files in an empty private folder. Returns where each of them is; one whose content is gone from git
 * is missing there. No filter is run.
 */
export async function stageFiles(
  files: readonly StoredFile[],
  folder: string,
  shadowOf: FindShadow,
): Promise<(file: StoredFile) => string | undefined> {
  const places = new Map<StoredFile, string>();
  const groups = Map.groupBy(files, ({ store, part }) => `${store}\0${part}`);
  for (const [number, group] of [...groups.values()].entries()) {
    const [first] = group;
    const shadow = first === undefined ? undefined : shadowOf(first);
    if (shadow === undefined) continue;
    const area = join(folder, String(number));
    mkdirSync(area);
    const own = privateGit(shadow.folder, area);
    const git = { ...own, env: { ...own.env, GIT_INDEX_FILE: `${area}.index` } };
    // By numbers, since one path may be a file in one turn and a folder in another.
    const lines = group.map(({ kind, mode, oid }, name) => `${gitMode(kind, mode)} ${oid}\t${name}\0`);
    await runGit(["update-index", "-z", "--index-info"], { ...git, input: lines.join("") });
    // Fails for files whose content is gone; the others are written all the same.
    await runGit(["checkout-index", "--all", "--quiet"], { ...git, accept: [1, 128] });
    for (const [name, file] of group.entries()) places.set(file, join(area, String(name)));
  }
  return (file) => places.get(file);
}

const gitMode = (kind: StoredFile["kind"], mode: number) =>
  kind === "link" ? "120000" : (mode & 0o100) === 0 ? "100644" : "100755";
