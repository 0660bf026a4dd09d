import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../lib/sha256.ts";
import { gitLine, type GitCall, runGit } from "../lib/run-git.ts";
import { addFiles, type AddOptions } from "./add-files.ts";
import { makeExact } from "./exact-content.ts";
import { keptShadow, openShadow, type Shadow } from "./shadow.ts";

/** A workspace's content at one moment: one tree for the workspace and one for each nested repository. */
export interface Snapshot {
  /** A hash of all parts. */
  readonly digest: string;
  readonly parts: readonly SnapshotPart[];
}

interface SnapshotPart {
  /** The repository's path in the workspace: empty for the workspace itself, otherwise with a trailing slash. */
  readonly path: string;
  readonly tree: string;
}

/** Takes snapshots of one workspace. Writes only to a private folder, never to the workspace. */
export interface SnapshotStore {
  readonly root: string;
  take(options?: TakeOptions): Promise<Snapshot>;
  /** The shadow of a part of an earlier snapshot. */
  shadow(path: string): Shadow | undefined;
}

/** `filter`: chooses among the files whose content would have to be copied. By default, all are. */
interface TakeOptions extends AddOptions {
  readonly signal?: AbortSignal;
  /** Makes new parts of the store exact: see `makeExact`. */
  readonly exact?: boolean;
}

/**
 * Opens a store for `root` with its git folders in `folder`. Snapshots do not include ignored files. Repositories that
 * are missing from the first snapshot (`before`, if another store took it) were created by the agent: their files are
 * included, but their settings and ignore lists are not used.
 */
export function openSnapshots(root: string, folder: string, before?: Snapshot): SnapshotStore {
  const shadows = new Map<string, Shadow>();
  const trees = new Map<string, { readonly tree: string; readonly index: bigint | undefined }>();
  let first = before;
  const shadowFolder = (path: string) => join(folder, `${path === "" ? "0" : sha256(path).slice(0, 16)}.git`);
  const shadowOf = async (path: string, { signal, exact }: TakeOptions): Promise<Shadow> => {
    const isNew = first !== undefined && !first.parts.some((part) => part.path === path);
    const known = shadows.get(path) ?? keptShadow(shadowFolder(path));
    const shadow = known ?? (await openShadow(join(root, path), shadowFolder(path), { isNew, signal }));
    if (known === undefined && exact === true) await makeExact(withSignal(shadow, signal));
    shadows.set(path, shadow);
    return withSignal(shadow, signal);
  };
  const takePart = async (path: string, options: TakeOptions): Promise<SnapshotPart[]> => {
    const shadow = await shadowOf(path, options);
    const { inner, isChanged } = await addFiles(shadow, options);
    const known = trees.get(path);
    const index = indexTime(shadow);
    const isSame = !isChanged && known !== undefined && known.index === index;
    const tree = isSame ? known.tree : await writeTree(shadow);
    trees.set(path, { tree, index: indexTime(shadow) });
    const parts = [{ path, tree }];
    for (const name of inner) {
      // A workspace that is a subfolder of a repository may become a repository itself.
      const place = `${path}${name === "" ? "." : name}/`;
      if (existsSync(join(root, place, ".git"))) parts.push(...(await takePart(place, options)));
    }
    return parts;
  };
  return {
    root,
    async take(options = {}) {
      const parts = await takePart("", options);
      const snapshot = { parts, digest: sha256(parts.map((part) => `${part.tree} ${part.path}\n`).join("")) };
      first ??= snapshot;
      return snapshot;
    },
    shadow: (path) => shadows.get(path) ?? keptShadow(shadowFolder(path)),
  };
}

const withSignal = (shadow: Shadow, signal: AbortSignal | undefined): Shadow =>
  signal === undefined ? shadow : { ...shadow, call: { ...shadow.call, signal } };

/** Changes whenever somebody writes the index. */
const indexTime = ({ folder }: Shadow) =>
  statSync(join(folder, "index"), { bigint: true, throwIfNoEntry: false })?.mtimeNs;

async function writeTree(shadow: Shadow): Promise<string> {
  const { call, prefix } = shadow;
  if (prefix === "") return await gitLine(["write-tree"], call);
  const { stdout } = await runGit(["ls-files", "-z", "--", prefix], call);
  if (stdout.length === 0) return await emptyTree(call);
  return await gitLine(["write-tree", `--prefix=${prefix}`], call);
}

/** The empty tree, in the repository's object format. */
export async function emptyTree(call: GitCall): Promise<string> {
  return await gitLine(["hash-object", "-w", "-t", "tree", "--stdin"], { ...call, input: "" });
}
