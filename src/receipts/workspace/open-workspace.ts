import { realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import type { WorkOrder, WorkspaceMode } from "../../contract/work-order.ts";
import { isFolder } from "../../lib/path/find-program.ts";
import { EXIT, messageOf, UserError } from "../../lib/text/user-error.ts";
import { openSnapshots, type Snapshot, type SnapshotStore } from "../../snapshots/snapshot.ts";
import { makeStagedCopy } from "./staged-copy.ts";

/** Where a run works, and its state before the run. Plain data, so that it can be restored after a crash. */
export interface Workspace {
  readonly mode: WorkspaceMode;
  /** The folder the user named. */
  readonly source: string;
  /** Where the agent works: `source` or a copy of it. */
  readonly root: string;
  /** The folder with the snapshots of `root`. */
  readonly snapshots: string;
  /** `root` before the run; null if the snapshot failed, in which case there is no diff. */
  readonly before: Snapshot | null;
  /** `source` before the run, if `root` is a copy. */
  readonly base: Snapshot | null;
}

export interface OpenedWorkspace extends Workspace {
  readonly store: SnapshotStore;
  readonly warnings: readonly string[];
}

/** The order's workspace. Throws a UserError if it is not an existing folder. */
export function workspaceRoot(order: WorkOrder, cwd: string): string {
  const path = resolve(cwd, order.workspace.root);
  if (isFolder(path)) return realpathSync(path);
  throw new UserError("the workspace is not a folder", {
    where: path,
    fix: "pass an existing folder",
    exitCode: EXIT.usage,
  });
}

interface WorkspacePlan {
  readonly mode: WorkspaceMode;
  readonly source: string;
  /** The run's own folder. */
  readonly folder: string;
  /** Which files to copy. */
  readonly wanted: (path: string) => boolean;
}

export async function openWorkspace(plan: WorkspacePlan): Promise<OpenedWorkspace> {
  return plan.mode === "staged" ? await openStaged(plan) : await openInPlace(plan);
}

async function openInPlace({ source, folder }: WorkspacePlan): Promise<OpenedWorkspace> {
  const snapshots = join(folder, "snapshots");
  const store = openSnapshots(source, snapshots);
  const opened = { mode: "pass_through", source, root: source, snapshots, base: null, store } as const;
  try {
    return { ...opened, before: await store.take(), warnings: [] };
  } catch (error) {
    return { ...opened, before: null, warnings: [`changes cannot be shown: ${messageOf(error)}`] };
  }
}

/** Outside our home, where agents may not write. The run id makes the name unguessable. */
export const stageFolder = (runId: string) => join(realpathSync(tmpdir()), `${STAGE_PREFIX}${runId}`);

const STAGE_PREFIX = "signalbox-stage-";

/** Removes the copy that a run worked on. Ignores any folder that is not such a copy. */
export function removeStage(root: string): void {
  if (basename(root).startsWith(STAGE_PREFIX)) rmSync(root, { recursive: true, force: true });
}

async function openStaged({ source, folder, wanted }: WorkspacePlan): Promise<OpenedWorkspace> {
  const origin = openSnapshots(source, join(folder, "base"));
  const base = await origin.take();
  const { root, store, baseline, dropped } = await makeStagedCopy(origin, base, {
    root: stageFolder(basename(folder)),
    folder,
    wanted,
  });
  return {
    mode: "staged",
    source,
    root,
    snapshots: join(folder, "stage-snapshots"),
    before: baseline,
    base,
    store,
    warnings: dropped.map((path) => `${path} is a link out of the workspace and is not in the copy`),
  };
}
