import { realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import type { WorkOrder, WorkspaceMode } from "../../contract/work-order.ts";
import { isFolder } from "../../lib/is-program.ts";
import { messageOf } from "../../lib/message-of.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { openSnapshots, type Snapshot, type SnapshotStore } from "./snapshot.ts";
import { makeStagedCopy } from "./stage.ts";

/** Where the work of a run happens, and how it was before. Plain data, so that it can be found again after a crash. */
export interface Workspace {
  readonly mode: WorkspaceMode;
  /** The folder that the person named. */
  readonly source: string;
  /** Where the agent works: the same folder, or a copy. */
  readonly root: string;
  /** The folder of the snapshots of `root`. */
  readonly snapshots: string;
  /** `root` before the work; null when it could not be taken, and then there is no diff. */
  readonly before: Snapshot | null;
  /** `source` before the work, where that is another folder. */
  readonly base: Snapshot | null;
}

export interface OpenedWorkspace {
  readonly workspace: Workspace;
  readonly store: SnapshotStore;
  readonly warnings: readonly string[];
}

/** The folder of an order, which must be there. */
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
  /** Which files a copy has. */
  readonly wanted: (path: string) => boolean;
}

/** Prepares the workspace of a run. */
export async function openWorkspace(plan: WorkspacePlan): Promise<OpenedWorkspace> {
  return plan.mode === "staged" ? await openStaged(plan) : await openInPlace(plan);
}

async function openInPlace({ source, folder }: WorkspacePlan): Promise<OpenedWorkspace> {
  const snapshots = join(folder, "snapshots");
  const store = openSnapshots(source, snapshots);
  const place = { mode: "pass_through", source, root: source, snapshots, base: null } as const;
  try {
    return { workspace: { ...place, before: await store.take() }, store, warnings: [] };
  } catch (error) {
    const why = messageOf(error);
    return { workspace: { ...place, before: null }, store, warnings: [`changes cannot be shown: ${why}`] };
  }
}

/** Not in our home: there no agent may write. The name is nobody's to guess. */
export const stageFolder = (runId: string) => join(realpathSync(tmpdir()), `${STAGE_PREFIX}${runId}`);

const STAGE_PREFIX = "signalbox-stage-";

/** Removes the copy that a run worked on; never a folder that is none. */
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
  const snapshots = join(folder, "stage-snapshots");
  return {
    workspace: { mode: "staged", source, root, snapshots, before: baseline, base },
    store,
    warnings: dropped.map((path) => `${path} is a link out of the workspace and is not in the copy`),
  };
}
