import { join } from "node:path";
import type { WorkOrder } from "../../contract/work-order.ts";
import { type Life, ownerLife, ownerOf, processLife } from "../../lib/folder-owner.ts";
import { isInside } from "../../lib/inside.ts";
import { waitForLock } from "../../lib/lock.ts";
import { makeFolder } from "../../lib/make-folder.ts";
import { printable } from "../../lib/printable.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import type { KnownRun } from "./run-log.ts";
import { knownRuns } from "./run-log.ts";
import type { RunSetting } from "./run-parts.ts";

/** Runs `work` while no other process of this home runs any. */
export async function withRunLock<Value>(home: string, work: () => Promise<Value> | Value): Promise<Value> {
  makeFolder(join(home, "runs"));
  using _lock = await waitForLock(join(home, "runs", "lock.db"));
  return await work();
}

/** Whether the process that began the run still lives. An older signalbox left only a pid, which can show that it does. */
export function runLife({ folder, header }: KnownRun): Life {
  if (ownerOf(folder) !== undefined) return ownerLife(folder);
  return processLife(header.owner) === "alive" ? "alive" : "unknown";
}

/** Why it cannot be told whether a run is over, in a clause. */
export function whyUnknown({ folder }: KnownRun): string {
  const owner = ownerOf(folder);
  if (owner === undefined) return "an older signalbox began it";
  return `it was begun on another machine or in another container (${printable(owner.hostname)})`;
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
        runLife(run) !== "dead",
    );
    if (other === undefined) return open();
    const { run_id: id, root } = other.header;
    throw runLife(other) === "unknown"
      ? new UserError(`run ${id} may still work in this folder: ${whyUnknown(other)}`, {
          where: root,
          fix: `if it is over, close it with 'signalbox cancel ${id} --gone'; else wait, or work on a copy with --staged`,
          exitCode: EXIT.refused,
        })
      : new UserError(`run ${id} works in this folder`, {
          where: root,
          fix: `wait for it, end it with 'signalbox cancel ${id}', or work on a copy with --staged`,
          exitCode: EXIT.refused,
        });
  });
}
