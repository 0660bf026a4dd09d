import {
  accessSync,
  appendFileSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { sha256 } from "../lib/json/sha256.ts";
import { type GitCall, gitLine, gitNames, runGit } from "../lib/process/run-git.ts";
import { errorCode } from "../lib/text/user-error.ts";
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
  readonly signal?: AbortSignal | undefined;
  /** Makes new parts of the store exact: see `makeExact`. */
  readonly exact?: boolean;
  /** Called if more may have changed than the files that are chosen: a part is new, or another store took it as well. */
  readonly onUnknown?: (() => void) | undefined;
}

/**
 * Opens a store for `root` with its git folders in `folder`. Snapshots do not include ignored files. Repositories that
 * are missing from the first snapshot (`before`, if another store took it) were created by the agent: their files are
 * included, but their settings and ignore lists are not used.
 */
export function openSnapshots(root: string, folder: string, before?: Snapshot): SnapshotStore {
  const shadows = new Map<string, Shadow>();
  const known = new Map<string, KnownPart>();
  let first = before;
  const shadowFolder = (path: string) => join(folder, `${path === "" ? "0" : sha256(path).slice(0, 16)}.git`);
  const shadowOf = async (path: string, { signal, exact }: TakeOptions): Promise<Shadow> => {
    const isNew = first !== undefined && !first.parts.some((part) => part.path === path);
    const old = shadows.get(path) ?? keptShadow(shadowFolder(path));
    const shadow = old ?? (await openShadow(join(root, path), shadowFolder(path), { isNew, signal }));
    const stoppable = { ...shadow, call: { ...shadow.call, signal } };
    if (old === undefined && exact === true) await makeExact(stoppable);
    shadows.set(path, shadow);
    return stoppable;
  };
  const takePart = async (path: string, options: TakeOptions): Promise<SnapshotPart[]> => {
    const shadow = await shadowOf(path, options);
    const last = known.get(path);
    const isOurs = last !== undefined && last.index === indexTime(shadow);
    if (!isOurs) options.onUnknown?.();
    const read = isOurs ? last.modules : last === undefined ? shadow.first?.modules : undefined;
    const modules = read ?? (await submodules(shadow));
    const { inner, isChanged, modules: left } = await addFiles(shadow, modules, options);
    const tree = isOurs && !isChanged ? last.tree : await writeTree(shadow);
    known.set(path, { tree, modules: left, index: indexTime(shadow) });
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

/** What the index of a part holds, as long as nobody else writes it. */
interface KnownPart {
  readonly tree: string;
  /** Submodules, from the top of the work tree. */
  readonly modules: readonly string[];
  readonly index: bigint | undefined;
}

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

/** The shadow of a part of a snapshot. */
export function shadowOf(store: SnapshotStore, part: string): Shadow {
  const shadow = store.shadow(part);
  if (shadow === undefined) throw new Error(`no snapshot was taken of ${part}`);
  return shadow;
}

/** The tree of a part; the empty one where the snapshot has no such part. */
export const treeIn = async ({ parts }: Snapshot, part: string, call: GitCall): Promise<string> =>
  parts.find(({ path }) => path === part)?.tree ?? (await emptyTree(call));

/** A path that differs between two trees. The mode of one that is not there consists of zeros. */
export interface TreeDifference {
  readonly path: string;
  readonly change: "added" | "deleted" | "changed";
  readonly old: { readonly mode: string; readonly oid: string };
  readonly now: { readonly mode: string; readonly oid: string };
}

const DIFF = "diff-tree -r -z --raw --no-renames --ignore-submodules=all --no-abbrev".split(" ");

/** What differs between two trees, by path. */
export async function treeDifferences(trees: readonly [string, string], call: GitCall): Promise<TreeDifference[]> {
  const fields = await gitNames([...DIFF, ...trees], call);
  const found: TreeDifference[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = "", mode = "", oldOid = "", oid = "", status = ""] = (fields[at] ?? "").slice(1).split(" ");
    const change = status === "A" ? "added" : status === "D" ? "deleted" : "changed";
    found.push({ path: fields[at + 1] ?? "", change, old: { mode: oldMode, oid: oldOid }, now: { mode, oid } });
  }
  return found;
}

/** The empty tree, in the repository's object format. */
export async function emptyTree(call: GitCall): Promise<string> {
  return await gitLine(["hash-object", "-w", "-t", "tree", "--stdin"], { ...call, input: "" });
}

/** Our own files are not the agent's work. */
export const OURS = ["**/.agent-backplane/**", "**/.claude/runtime/launcher_context.json*"].map(
  (pattern) => `:(exclude,top,glob)${pattern}`,
);

const TRACKED = "diff-files -z --name-status --no-renames --no-ext-diff --ignore-submodules=dirty".split(" ");

export const OTHERS = "ls-files -z --full-name --others --exclude-standard".split(" ");

interface AddOptions {
  readonly filter?: FileFilter | undefined;
  /** With it, a changed file that cannot be read keeps its content of the snapshot before. Without it, that fails. */
  readonly onUnreadable?: ((file: string) => void) | undefined;
}

/** Which of these files of a work tree to take. The others are left out of the snapshot. */
export type FileFilter = (names: readonly string[], part: Shadow) => Promise<readonly string[]>;

interface Added {
  /** Where nested repositories are or were, relative to this part. */
  readonly inner: readonly string[];
  /** Whether the index may be different now. */
  readonly isChanged: boolean;
  /** The submodules that are left in the index. */
  readonly modules: readonly string[];
}

/**
 * Updates the index. Does not use `git add`, which runs git inside submodules with their settings and so can start
 * their programs.
 */
async function addFiles(
  shadow: Shadow,
  known: readonly string[],
  { filter, onUnreadable }: AddOptions,
): Promise<Added> {
  const { call, prefix, folder } = shadow;
  // Left by a git process of ours that was killed. Nobody else uses this folder.
  rmSync(join(folder, "index.lock"), { force: true });
  const where = prefix === "" ? "." : prefix;
  const skip = (name: string) => {
    onUnreadable?.(join(call.cwd, name));
    return false;
  };
  const untrackedNames = () => gitNames([...OTHERS, "--", where, ...OURS], call);
  // Each is a program that mostly waits for the disk.
  const [tracked, early] = await Promise.all([gitNames([...TRACKED, "--", where, ...OURS], call), untrackedNames()]);
  const { gone, there } = sortTracked(tracked, call.cwd);
  const plain = known.filter((name) => name.startsWith(prefix) && isPlain(join(call.cwd, name)));
  const removed = [...gone, ...plain];
  await updateIndex(call, ["--force-remove"], removed);
  const others = removed.length === 0 ? early : await untrackedNames();
  const found = [...there, ...others.filter((name) => !isInner(name))];
  const wanted =
    onUnreadable === undefined ? found : found.filter((name) => isReadable(join(call.cwd, name)) || skip(name));
  const chosen = filter === undefined ? wanted : await filter(wanted, shadow);
  if (chosen.length < wanted.length) {
    const kept = new Set(chosen);
    // Its old content is not what the workspace holds now.
    await updateIndex(
      call,
      ["--force-remove"],
      there.filter((name) => !kept.has(name)),
    );
  }
  await updateIndex(call, ["--add", "--remove", "--replace"], chosen);
  const inner = [...known.filter((name) => name.startsWith(prefix)), ...others.filter(isInner)];
  const names = new Set(inner.map((name) => name.slice(prefix.length).replace(/\/$/, "")));
  const isChanged = removed.length + wanted.length > 0;
  const lost = new Set([...removed, ...chosen]);
  return { inner: [...names].toSorted(), isChanged, modules: known.filter((name) => !lost.has(name)) };
}

/** Which of the files that git knows, with their changes, are gone, and which are there with other content. */
function sortTracked(tracked: readonly string[], folder: string) {
  const [gone, there]: [string[], string[]] = [[], []];
  for (let at = 0; at < tracked.length; at += 2) {
    const [status = "", name = ""] = [tracked[at], tracked[at + 1]];
    // Not a file: either a nested repository with a new commit, or one that replaced a file.
    const stat = status === "D" ? undefined : lstatSync(join(folder, name), { throwIfNoEntry: false });
    const isFolder = stat?.isDirectory() === true;
    if (stat === undefined || (status === "T" && isFolder)) gone.push(name);
    else if (!isFolder) there.push(name);
  }
  return { gone, there };
}

function isReadable(file: string): boolean {
  try {
    if (lstatSync(file).isFile()) accessSync(file, constants.R_OK);
    return true;
  } catch (error) {
    // One that is gone meanwhile is noticed by git.
    return errorCode(error) !== "EACCES" && errorCode(error) !== "EPERM";
  }
}

/** Git lists a nested repository as a folder. It may not have a commit that the index could refer to. */
const isInner = (name: string) => name.endsWith("/");

/** True if a submodule's folder contains files but no repository. An empty folder is just not checked out. */
function isPlain(folder: string): boolean {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return false;
  const names = readdirSync(folder);
  return names.length > 0 && !names.includes(".git");
}

async function updateIndex(call: GitCall, how: readonly string[], names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const input = names.map((name) => `${name}\0`).join("");
  await runGit(["update-index", ...how, "-z", "--stdin"], { ...call, input });
}

/** Paths of the submodules in the index, from the top of the work tree. */
async function submodules({ call }: Shadow): Promise<string[]> {
  const entries = await gitNames(["ls-files", "--stage", "-z"], call);
  return entries.filter((entry) => entry.startsWith("160000 ")).map((entry) => entry.slice(entry.indexOf("\t") + 1));
}

/** Overrides every attribute file in the work tree, so that an agent cannot change how content is read. */
const EXACT = "* -text -ident -filter !eol !working-tree-encoding\n";

/**
 * Makes a new shadow hold the bytes on disk, whatever the repository's settings and attributes say. Files that git
 * stores in another form (git-lfs, git-crypt, CRLF) are read again by the next snapshot. No filter is run.
 */
async function makeExact(shadow: Shadow): Promise<void> {
  const { folder } = shadow;
  if (mayConvert(shadow)) await forgetConverted(shadow);
  mkdirSync(join(folder, "info"), { recursive: true });
  writeFileSync(join(folder, "info/attributes"), EXACT);
  appendFileSync(join(folder, "config"), "[core]\n\tautocrlf = false\n\teol = lf\n");
}

const mayConvert = ({ repository, first }: Shadow): boolean =>
  repository !== undefined && (repository.convertsContent || first?.hasAttributes === true);

const ATTRIBUTES = ["filter", "working-tree-encoding", "ident", "eol"];

/** Makes the index forget that these files are unchanged. */
async function forgetConverted({ call, repository }: Shadow): Promise<void> {
  const entries = await gitNames(["ls-files", "--stage", "-z"], call);
  const byName = new Map(entries.map((entry) => [entry.slice(entry.indexOf("\t") + 1), entry]));
  const input = [...byName.keys()].map((name) => `${name}\0`).join("");
  const { stdout } = await runGit(["check-attr", "-z", "--stdin", ...ATTRIBUTES], { ...call, input });
  const fields = stdout.toString("utf8").split("\0");
  const usesCrlf = repository?.settings.some((setting) => /^core\.(?:autocrlf=true|eol=crlf)$/i.test(setting)) === true;
  const converted = new Set<string>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [name = "", attribute = "", value = ""] = fields.slice(at, at + 3);
    if (usesCrlf || isConverting(attribute, value)) converted.add(name);
  }
  for (const name of await otherSizes(call)) converted.add(name);
  if (converted.size === 0) return;
  const lines = [...converted].map((name) => `${byName.get(name) ?? ""}\0`).join("");
  await runGit(["update-index", "-z", "--index-info"], { ...call, input: lines });
}

const SIZED = /\d{6} ([0-9a-f]+) 0\t([^\0]*)\0(?:  .*\n)*?  size: (\d+)\t.*\n/g;

/** Files that are longer or shorter on disk than in git, such as text with CRLF that git stores with LF. */
async function otherSizes(call: Shadow["call"]): Promise<readonly string[]> {
  const { stdout } = await runGit(["ls-files", "--stage", "--debug", "-z"], call);
  const entries = [...stdout.toString("utf8").matchAll(SIZED)];
  const input = entries.map(([, oid = ""]) => `${oid}\n`).join("");
  const sizes = (await gitLine(["cat-file", "--batch-check=%(objectsize)"], { ...call, input })).split("\n");
  return entries.flatMap(([, , name = "", size], at) =>
    /^\d+$/.test(sizes[at] ?? "") && sizes[at] !== size ? name : [],
  );
}

/** Other text is told by its size. */
function isConverting(attribute: string, value: string): boolean {
  if (value === "unspecified" || value === "unset") return false;
  return attribute !== "eol" || value === "crlf";
}
