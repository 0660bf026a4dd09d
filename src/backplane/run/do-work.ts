import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import type { ErrorCode } from "../../contract/error-code.ts";
import { messageOf } from "../../lib/message-of.ts";
import { isUserError } from "../../lib/user-error.ts";
import type { Snapshot } from "../../snapshots/snapshot.ts";
import { ProtocolError } from "../host.ts";
import { openWorkspace } from "../workspace/open-workspace.ts";
import { recordCheckBase } from "./acceptance.ts";
import type { CheckedRun, WorkStep } from "./checked-run.ts";
import type { StopCause } from "./limits.ts";
import { keepEvent, type OpenRun, type WorkedRun } from "./open-run.ts";
import { pathFilter } from "./read-order.ts";
import { workInRounds } from "./rounds.ts";
import { openGuard, type PlacedRun } from "./run-guard.ts";
import type { RunParts } from "./run-parts.ts";
import { UnmetRequirements } from "./unmet-requirements.ts";
import { watchInterruptions } from "./watch-interruptions.ts";

/**
 * Does everything from opening the workspace to the last check. A failure becomes the stop reason and is not thrown.
 */
export async function* doWork(opened: OpenRun, parts: RunParts): AsyncGenerator<WorkStep> {
  let run: CheckedRun = opened;
  const keep = (event: AgentEvent): WorkStep => ({ run, step: keepEvent(run, event) });
  const { agent, run_id } = run.header;
  yield keep(newEvent({ type: "run_started", message: `${agent}: ${run.order.task}`, ext: { run_id } }));
  using _interruptions = watchInterruptions(opened, parts.signal);
  try {
    const placed = await enterWorkspace(opened, parts);
    run = placed;
    for (const message of placed.workspace.warnings) yield keep(newEvent({ type: "warning", message }));
    for await (const worked of workInRounds(openGuard(placed, parts), parts)) {
      ({ run } = worked);
      yield worked;
    }
  } catch (error) {
    opened.stops.stop(stopFor(error));
    const message = opened.stops.reason()?.because ?? "";
    yield keep(newEvent({ type: "error", message, error_code: failureCode(run, error) }));
  } finally {
    await parts.processes.endRun(run.header.run_id);
  }
}

/** Opens the run's workspace and logs it. */
async function enterWorkspace(run: OpenRun, parts: RunParts): Promise<PlacedRun> {
  const { include, exclude, mode } = run.order.workspace;
  const wanted = pathFilter(include, exclude);
  const opened = await openWorkspace({ mode, source: run.header.root, folder: run.log.folder, wanted });
  const { workspace } = opened;
  run.log.append({ t: "workspace", ...workspace, before: plain(workspace.before), base: plain(workspace.base) });
  const checkBase = await recordCheckBase(run, workspace.root, parts);
  const warnings = [...opened.warnings, ...(checkBase?.warnings ?? [])];
  return { ...run, workspace: { ...opened, warnings }, checkBase };
}

const plain = (snapshot: Snapshot | null) => (snapshot === null ? null : { ...snapshot, parts: [...snapshot.parts] });

/** The stop reason for a thrown error. */
export function stopFor(error: unknown): StopCause {
  const because = messageOf(error);
  if (error instanceof ProtocolError) return { stopped: "crashed", because };
  return { stopped: "failed", because, ...(isUserError(error) ? { exitCode: error.exitCode, fix: error.fix } : {}) };
}

function failureCode(run: WorkedRun, error: unknown): ErrorCode {
  if (error instanceof UnmetRequirements) return "capability_unsupported";
  if (run.workspace === undefined) return "workspace_init_failed";
  if (error instanceof ProtocolError) return "protocol_handshake_failed";
  return run.host === undefined ? "sidecar_spawn_failed" : "internal";
}
