import { constants, copyFileSync, lstatSync, mkdirSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { isInside } from "../lib/inside.ts";
import { removeTree } from "../lib/remove-tree.ts";
import { gitLine, headCommit, runGit } from "../lib/run-git.ts";
import { type KeptBase, keptContent } from "./check-base.ts";
import { type DecidingChange, checkedEntries } from "./compare-base.ts";
import { withBasePart } from "./deciding-parts.ts";
import { readPlain } from "./file-state.ts";
import { walkWorkspace } from "./walk-workspace.ts";

export interface CopyLimits {
  readonly bytes: number;
  readonly milliseconds: number;
}

export const USUAL_COPY_LIMITS: CopyLimits = { bytes: 2 * 1024 ** 3, milliseconds: 120_000 };

/** The copy cannot be made. The message says why. */
class CopyFailure extends Error {}

interface CopyPlan {
  readonly from: string;
  readonly to: string;
  readonly limits: CopyLimits;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Copies a workspace as it is. Dependencies and caches are links to the originals, which would take too long to copy;
 * links that lead out of the workspace keep their target. The copy is a repository of its own with the same history.
 */
export async function copyWorkspace({ from, to, limits, signal }: CopyPlan): Promise<void> {
  const { files, dependencies } = await walkWorkspace(from, signal);
  mkdirSync(to, { mode: 0o700 });
  const started = performance.now();
  let bytes = 0;
  for (const [at, path] of files.entries()) {
    if (at % BATCH === 0) {
      signal?.throwIfAborted();
      await nextTurn();
    }
    bytes += copyOne(path, from, to);
    if (bytes > limits.bytes) throw new CopyFailure(`the workspace is larger than ${limits.bytes} bytes`);
    if (performance.now() - started > limits.milliseconds)
      throw new CopyFailure(`copying the workspace takes longer than ${limits.milliseconds / 1000} s`);
  }
  for (const folder of dependencies) {
    mkdirSync(dirname(join(to, folder)), { recursive: true });
    symlinkSync(join(from, folder), join(to, folder));
  }
  await addHistory(from, to);
}

const BATCH = 100;

/** Returns how many bytes it took. Sockets, pipes and devices are left out, and so is what cannot be read. */
function copyOne(path: string, from: string, to: string): number {
  const [source, target] = [join(from, path), join(to, path)];
  const stat = lstatSync(source, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  mkdirSync(dirname(target), { recursive: true });
  if (stat.isSymbolicLink()) symlinkSync(linkInCopy(readlinkSync(source), from, to), target);
  if (!stat.isFile()) return 0;
  try {
    copyFileSync(source, target, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  } catch (error) {
    if (readPlain(source) !== undefined) throw error;
    return 0;
  }
  return stat.size;
}

/** An absolute link into the workspace leads into the copy. */
function linkInCopy(target: string, from: string, to: string): string {
  return isAbsolute(target) && isInside(resolve(target), from) ? join(to, resolve(target).slice(from.length)) : target;
}

/** A check may ask git for the version or the changed files. The user's own repository is not reachable from here. */
async function addHistory(from: string, to: string): Promise<void> {
  const call = { cwd: to, workspace: from, env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" } };
  try {
    const [objects, format] = (
      await gitLine(
        ["rev-parse", "--path-format=absolute", "--git-path", "objects", "--show-object-format", "--show-prefix"],
        {
          cwd: from,
        },
      )
    ).split("\n");
    const head = await headCommit({ cwd: from });
    if (objects === undefined || head === undefined) return;
    await runGit(["init", "--quiet", "--template=", `--object-format=${format ?? "sha1"}`, to], call);
    mkdirSync(join(to, ".git/objects/info"), { recursive: true });
    writeFileSync(join(to, ".git/objects/info/alternates"), `${objects}\n`);
    await runGit(["update-ref", "HEAD", head], call);
    await runGit(["read-tree", "HEAD"], call);
  } catch {
    // Without git, or where the workspace is part of a larger repository, a check that needs git fails in the copy.
  }
}

/** Makes the deciding files in a copy what they were. */
export function restoreInCopy(changes: readonly DecidingChange[], kept: KeptBase, to: string): void {
  for (const { path, role, before } of changes) {
    if (role === "dependency" || role === "program") continue;
    const target = join(to, path);
    clearWay(to, path);
    const present = readPlain(join(kept.base.root, path))?.toString("utf8");
    removeTree(target);
    if (before === undefined || before.kind === "unread") continue;
    mkdirSync(dirname(target), { recursive: true });
    if (before.kind === "link") symlinkSync(linkInCopy(before.target, kept.base.root, to), target);
    else {
      const content = keptContent(kept.folder, before.sha256);
      const text =
        role === "part" && present !== undefined
          ? withBasePart(path, { base: content.toString("utf8"), present }, checkedEntries(kept.base))
          : content;
      writeFileSync(target, text, { mode: before.executable ? 0o755 : 0o644, flag: "wx" });
    }
  }
}

/** Replaces links and files among the folders above a path, so that nothing is written through them. */
function clearWay(root: string, path: string): void {
  const names = path.split("/").slice(0, -1);
  for (let count = 1; count <= names.length; count++) {
    const folder = join(root, ...names.slice(0, count));
    const stat = lstatSync(folder, { throwIfNoEntry: false });
    if (stat !== undefined && !stat.isDirectory()) removeTree(folder);
  }
}
