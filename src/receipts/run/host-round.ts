import { type AgentEvent, type ErrorCode, newEvent } from "../../contract/agent-event.ts";
import type { Capabilities, Requirement, SupportLevel } from "../../contract/capability.ts";
import { addUsage, type HostEnd, Usage } from "../../contract/receipt.ts";
import { RUN_EXIT } from "../../contract/run-exit.ts";
import type { Decision } from "../../contract/verdict.ts";
import type { WorkOrder } from "../../contract/work-order.ts";
import { explainToModel } from "../../guard/explain.ts";
import { redact, redactJson } from "../../guard/redact.ts";
import { openRecovery } from "../../snapshots/recovery.ts";
import type { FollowUp, HeldCall, HostJob } from "../host.ts";
import type { OpenedWorkspace } from "../workspace/open-workspace.ts";
import { drainHost, overBudget, type StopCause } from "./limits.ts";
import { keepEvent, type OpenRun, type Round, roundNumber, usedSoFar } from "./open-run.ts";
import type { OrderGuard } from "./order-guard.ts";
import type { OnApproval, RunStep } from "./run-setup.ts";

/** What the host gets in this round. */
export interface RoundJob {
  readonly order: WorkOrder;
  readonly followUp?: FollowUp | undefined;
}

/** Lets the host work once, until it ends or is stopped. */
export async function* workWithHost(
  run: OpenRun,
  workspace: OpenedWorkspace,
  guard: OrderGuard,
  { order, followUp }: RoundJob,
): AsyncGenerator<RunStep, Round> {
  const { setup, log, stops, calls, progress } = run;
  const { run_id: runId, root: source } = run.header;
  const { root } = workspace;
  const { signal } = stops;
  const policy = { ...setup.policy, workspaceRoot: root };
  await using host = await setup.openHost({
    runId,
    root,
    source,
    folder: log.folder,
    env: order.config.env,
    signal,
    policy,
  });
  const { backend, capabilities, agent, holds } = host;
  const round: Round = { host };
  progress.rounds.push(round);
  log.append({ t: "host", backend, capabilities, agent, holds });
  demandCapabilities(order.requirements.required, capabilities);

  const work = { ...order, workspace: { ...order.workspace, root } };
  const recovery = await recoveryOf(workspace, signal);
  const answers: AgentEvent[] = [];
  const events = host.run({
    runId,
    order: work,
    signal,
    recovery,
    followUp,
    ...questionsOf(run, root, guard, answers),
  });
  using drain = drainHost(events, setup.limits, stops, followUp === undefined ? 0 : run.elapsedMs());
  const before = { turns: run.watch.progress().turns, used: usedSoFar(run) };
  try {
    let next = await drain.events.next();
    for (; next.done !== true; next = await drain.events.next()) {
      // The runtime adds these two events itself.
      if (next.value.type === "run_started" || next.value.type === "run_completed") continue;
      for (const answer of answers.splice(0)) yield keepEvent(run, answer);
      const event = eventOfRun(next.value, roundNumber(run), before);
      for (const traced of calls.see(event)) yield keepEvent(run, traced);
    }
    for (const event of calls.finish()) yield keepEvent(run, event);
    round.end = next.value;
  } finally {
    // After an error, or when the caller leaves, these are recorded all the same.
    for (const event of calls.finish()) keepEvent(run, event);
  }
  const ownStop = stopInTheEnd(run, round.end);
  if (ownStop !== undefined) stops.stop(ownStop);
  const stop = stops.reason();
  if (stop !== undefined) yield keepEvent(run, stopEvent(stop, round.end));
  return round;
}

/** The event for a run that was stopped. */
export const stopEvent = (stop: StopCause, end: HostEnd | undefined): AgentEvent =>
  newEvent({ type: "error", message: stop.because, error_code: stopCode(stop, end) });

function stopCode({ stopped }: StopCause, end: HostEnd | undefined): ErrorCode {
  if (stopped === "crashed") return end === undefined ? "backend_crashed" : "protocol_unexpected_message";
  return stopped === "limit" ? "backend_timeout" : "internal";
}

/** Why an agent says that it was stopped within itself, or that it cost too much. */
function stopInTheEnd(run: OpenRun, { stopped, because }: Partial<HostEnd> = {}): StopCause | undefined {
  switch (stopped) {
    case undefined:
      return overBudget(usedSoFar(run).estimated_cost_usd ?? 0, run.setup.limits);
    case "blocked":
      return { stopped: "failed", because: because ?? "the agent's gates gave up", exitCode: RUN_EXIT.blocked };
    case "no_progress":
      return { stopped, because: because ?? "the agent went in circles" };
    case "limit":
      return { stopped, because: because ?? "the agent reached its own limit" };
  }
}

/** In a staged copy nothing of the user's can be lost. */
async function recoveryOf(workspace: OpenedWorkspace, signal: AbortSignal): Promise<HostJob["recovery"]> {
  const { mode, root, before, store } = workspace;
  if (mode === "staged") return { recoverable: () => true, began: () => {}, ended: () => {} };
  if (before === null) return undefined;
  const snapshot = { state: "taken", store, snapshot: before, skipped: [], modes: {} } as const;
  return await openRecovery(root, snapshot, { signal }).catch(() => undefined);
}

type Questions = Pick<HostJob, "decide" | "judge" | "answered" | "approve">;

/**
 * What a host may ask. Every judged call is logged, so that the receipt of a killed run has it too. What the caller
 * answers is added to `answers`, for the trace.
 */
function questionsOf(run: OpenRun, root: string, guard: OrderGuard, answers: AgentEvent[]): Questions {
  const { setup, log, calls, stops, header } = run;
  const { secrets, onApproval } = setup;
  const round = roundNumber(run);
  const record: HostJob["answered"] = ({ tool, input = null, id }, { verdict, because }) => {
    const kept = {
      tool,
      input: redactJson(input, secrets) ?? null,
      id,
      verdict,
      because: redact(because, secrets).text,
    };
    log.append({ t: "judged", ...kept });
    calls.judged({ tool, input, id }, { verdict, because });
  };
  const known = (call: HeldCall): HeldCall => ({ ...call, id: idInRound(call.id, round) });
  const ask = async ({ tool, input, id }: HeldCall, because: string, caller: OnApproval): Promise<boolean> => {
    const answer = await caller({ runId: header.run_id, tool, input, root, because });
    const approved = answer === true && !stops.signal.aborted;
    const message = `${approved ? "approved" : "not approved"} by the caller: ${tool} (${because})`;
    answers.push(
      newEvent({ type: "warning", message, ext: { approval: { tool, tool_use_id: id ?? null, approved } } }),
    );
    return approved;
  };
  return {
    judge: (call, containment) => guard.decide(known(call), containment),
    decide(asked, containment) {
      const call = known(asked);
      const decision = inWords(guard.decide(call, containment));
      record(call, decision);
      return decision;
    },
    answered(asked, answer) {
      const call = known(asked);
      guard.answered(call, answer.verdict);
      record(call, answer);
    },
    approve:
      onApproval &&
      (async (asked, containment) => {
        const call = known(asked);
        const answer = ({ because }: Decision) => ask(call, because, onApproval);
        const decision = inWords(await guard.approve(call, containment, answer));
        record(call, decision);
        return decision;
      }),
  };
}

/** A decision that says what was blocked, and not only why: the host passes it on to its agent. */
const inWords = (decision: Decision): Decision =>
  decision.verdict === "allow" ? decision : { ...decision, because: explainToModel(decision) };

/**
 * An event of a later round in the terms of the whole run. A host that is started again begins its counts, and often the
 * ids of its calls, anew.
 */
function eventOfRun(
  event: AgentEvent,
  round: number | undefined,
  { turns, used }: { readonly turns: number; readonly used: Usage },
): AgentEvent {
  if (round === undefined || round === 1) return event;
  const { turn, usage } = event.ext ?? {};
  const counted = Usage.safeParse(usage);
  const ext = {
    ...event.ext,
    ...(typeof turn === "number" ? { turn: turn + turns } : {}),
    ...(usage !== undefined && counted.success ? { usage: addUsage(used, counted.data) } : {}),
  };
  if (event.type === "tool_result") return { ...event, ext, tool_use_id: idOfEvent(event.tool_use_id, round) };
  if (event.type !== "tool_call") return { ...event, ext };
  const { tool_use_id: id, parent_tool_use_id: parent } = event;
  return { ...event, ext, tool_use_id: idOfEvent(id, round), parent_tool_use_id: idOfEvent(parent, round) };
}

const idOfEvent = (id: string | null, round: number): string | null => idInRound(id ?? undefined, round) ?? null;

/** The id of a call in the whole run. */
const idInRound = (id: string | undefined, round = 1): string | undefined =>
  id === undefined || round === 1 ? id : `${id}#${round}`;

export class UnmetRequirements extends Error {}

/** Throws an error that names every requirement that a host does not meet. */
function demandCapabilities(required: readonly Requirement[], capabilities: Capabilities): void {
  const unmet = required.flatMap(({ capability, min_support }) => {
    const level = capabilities[capability];
    return meets(level, min_support) ? [] : [`${capability} (needs ${min_support}, has ${levelName(level)})`];
  });
  if (unmet.length > 0) throw new UnmetRequirements(`the host does not meet: ${unmet.join(", ")}`);
}

/** A missing capability meets nothing. "unsupported" counts as missing. */
function meets(level: SupportLevel | undefined, needed: Requirement["min_support"]): boolean {
  if (level === undefined || level === "unsupported") return false;
  return needed === "native" ? level === "native" : true;
}

const levelName = (level: SupportLevel | undefined) =>
  level === undefined ? "nothing" : typeof level === "string" ? level : `restricted: ${level.restricted.reason}`;
