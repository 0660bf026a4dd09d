import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { WorkOrder } from "../../contract/work-order.ts";
import { isInside } from "../../lib/inside.ts";
import { makeFolder } from "../../lib/make-folder.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import type { KnownRun } from "./run-log.ts";
import { knownRuns } from "./run-log.ts";
import type { RunSetting } from "./run-parts.ts";

const RETRY_MS = 20;

/** Does something that no other process of this home does at the same time. A killed holder leaves no lock behind. */
export async function withRunLock<Value>(home: string, work: () => Promise<Value> | Value): Promise<Value> {
  makeFolder(join(home, "runs"));
  using database = new DatabaseSync(join(home, "runs", "lock.db"));
  for (;;) {
    try {
      database.exec("BEGIN EXCLUSIVE");
      break;
    } catch (error) {
      if (!(error instanceof Error) || !/locked|busy/.test(error.message)) throw error;
      await sleep(RETRY_MS);
    }
  }
  return await work();
}

/** Whether the process that began the run still lives. */
export function isOwned({ header }: KnownRun, { processes }: Pick<RunSetting, "processes">): boolean {
  return header.owner.started !== "" && processes.started(header.owner.pid) === header.owner.started;
}

/** Opens a run unless another one works in place in the same folder: neither could tell its changes from the other's. */
export async function refuseSecondRun<Value>(
  order: WorkOrder,
  { source, setting }: { readonly source: string; readonly setting: RunSetting },
  open: () => Value,
): Promise<Value> {
  return await withRunLock(setting.home, () => {
    const other = knownRuns(setting.home).find(
      (run) =>
        run.closed === undefined &&
        run.header.mode === "pass_through" &&
        order.workspace.mode === "pass_through" &&
        (isInside(run.header.root, source) || isInside(source, run.header.root)) &&
        isOwned(run, setting),
    );
    if (other === undefined) return open();
    throw new UserError(`run ${other.header.run_id} works in this folder`, {
      where: other.header.root,
      fix: `wait for it, end it with 'signalbox cancel ${other.header.run_id}', or work on a copy with --staged`,
      exitCode: EXIT.refused,
    });
  });
}
