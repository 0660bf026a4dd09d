import type { SessionEvent } from "../../contract/engine-event.ts";
import { acceptanceReason } from "../../contract/gate-reason.ts";
import type { Message } from "../../contract/message.ts";
import { RUN_EXIT } from "../../contract/run-exit.ts";
import type { RecentWork, WorkMetrics } from "../../contract/work-metrics.ts";
import type { AgentStop, EngineHooks, StoppingAgent, StopWord } from "./hooks.ts";
import type { LoopAgent } from "./processor.ts";

/** How many times in a row each gate has blocked. Starts with an empty map and no change. */
export interface GateCounts {
  /** Without a state: as an earlier start of the session left it. */
  readonly blocks: Map<string, { readonly blocked: number; readonly state?: string }>;
  /** How many times the state was found changed between two rounds. */
  changes: number;
  /** The state as the last blocking gate left it, because changes made by gates are not work. */
  left?: string | undefined;
}

export type GateWord =
  | { readonly kind: "passed" }
  | { readonly kind: "blocked"; readonly reason: string }
  | { readonly kind: "gave-up"; readonly outcome: GateOutcome };

interface GateOutcome {
  readonly reason: "gate-gave-up" | "limit";
  readonly because: string;
  readonly gate: string;
  readonly exitCode: number;
}

/** Counts that start anew, or go on from how often each gate had blocked before. */
export const gateCounts = (before: ReadonlyMap<string, number> = new Map()): GateCounts => ({
  blocks: new Map([...before].map(([gate, blocked]) => [gate, { blocked }])),
  changes: 0,
});

/** Asks the gates in order. The first that blocks decides; one that blocks too often while nothing changes gives up. */
export async function* askGates(
  gates: readonly Gate[],
  stop: Stop,
  counts: GateCounts,
  { settings, fingerprint }: LoopAgent,
): AsyncGenerator<SessionEvent, GateWord> {
  await noticeChange(counts, () => fingerprint?.(stop.signal));
  for (const gate of gates) {
    if (stop.signal.aborted) break;
    const before = counts.blocks.get(gate.name) ?? { blocked: 0 };
    const answer = await gate.check({ ...stop, blocked: before.blocked });
    const { reason, exitCode } =
      typeof answer === "object" ? answer : { reason: answer?.trim() ?? "", exitCode: gate.exitCode };
    if (stop.signal.aborted) break;
    if (reason === "") {
      if (before.blocked > 0 || gate.tellsPass?.() === true) yield { type: "gate-passed", gate: gate.name };
      counts.blocks.delete(gate.name);
      continue;
    }
    const blocked = countBlock(gate, counts);
    const most = gate.most ?? settings.gate_blocks;
    if (blocked > most) {
      yield { type: "gate-gave-up", gate: gate.name, reason };
      return { kind: "gave-up", outcome: givenUp({ ...gate, exitCode }, most, reason) };
    }
    counts.left = await fingerprint?.(stop.signal);
    yield { type: "gate-blocked", gate: gate.name, reason };
    return { kind: "blocked", reason };
  }
  return { kind: "passed" };
}

/** How often the gate has now blocked since anything changed. */
function countBlock({ name, countsAll = false, state: own }: Gate, { blocks, changes }: GateCounts): number {
  const state = countsAll ? "" : `${changes} ${own?.() ?? ""}`;
  const before = blocks.get(name) ?? { blocked: 0, state };
  const blocked = (before.state ?? state) === state ? before.blocked + 1 : 1;
  blocks.set(name, { blocked, state });
  return blocked;
}

function givenUp({ name: gate, exitCode, cutsOff }: Gate, most: number, reason: string): GateOutcome {
  if (cutsOff !== undefined) return { reason: "limit", because: cutsOff(most), gate, exitCode };
  const because = `the ${gate} gate blocked ${most} times in a row and nothing changed; its last reason: ${reason}`;
  return { reason: "gate-gave-up", because, gate, exitCode };
}

async function noticeChange(counts: GateCounts, state: () => Promise<string | undefined> | undefined): Promise<void> {
  const found = counts.left === undefined ? undefined : await state();
  if (found !== undefined && found !== counts.left) counts.changes++;
}

/** A natural end of the agent's work. */
interface Stop {
  readonly history: readonly Message[];
  /** The model's last text. */
  readonly text: string;
  /** What the session has done so far, and since the prompt that it works on. */
  readonly metrics: WorkMetrics;
  readonly recent: RecentWork;
  readonly signal: AbortSignal;
}

/** What a gate can see. */
interface GateStep extends Stop {
  /** How often this gate has blocked since the state last changed. */
  readonly blocked: number;
}

/** Something that can refuse a stop. It says what the model should do; without a reason it does not block. */
export interface Gate {
  readonly name: string;
  /** What a command exits with when this gate gives up. */
  readonly exitCode: number;
  /** How often it may block in a row without any change of state; the setting `gate_blocks` by default. */
  readonly most?: number;
  /** What else than the tree is work on what it asks for, such as which items are open. */
  readonly state?: () => string;
  /** True when no change of state starts the count again. */
  readonly countsAll?: boolean;
  /** Whether also a pass at the first time is news: something was run. */
  readonly tellsPass?: () => boolean;
  /** Set when giving up means that the session is cut off by a limit; says which. */
  readonly cutsOff?: (most: number) => string;
  /** The reason to continue, or undefined. */
  check(step: GateStep): Promise<GateReason | undefined>;
}

/** Why a gate blocks. One with its own exit code is not the usual reason of that gate. */
type GateReason = string | { readonly reason: string; readonly exitCode: number };

export interface CheckOutcome {
  /** Null when it was killed by a signal or could not be started. */
  readonly exitCode: number | null;
  /** The end of its output, limited in length. */
  readonly output: string;
  readonly timedOut: boolean;
  /** Set if it passes only because what decides it was changed: what to tell the model. */
  readonly changedCheck?: string;
}

export type RunCheck = (command: string, signal: AbortSignal) => Promise<CheckOutcome>;

/** Blocks until a user-supplied command succeeds: the command decides whether the work is done, not the model. */
export function acceptanceGate(command: string, runCheck: RunCheck): Gate {
  return {
    name: "acceptance",
    exitCode: 4,
    tellsPass: () => true,
    async check({ signal }) {
      const { exitCode, output, timedOut, changedCheck } = await runCheck(command, signal);
      if (changedCheck !== undefined) return { reason: changedCheck, exitCode: RUN_EXIT.changedCheck };
      if (exitCode === 0 && !timedOut) return undefined;
      const how = timedOut ? "timed out" : exitCode === null ? "was ended" : `failed with exit code ${exitCode}`;
      return acceptanceReason(`the acceptance check \`${command}\` ${how}`, output);
    },
  };
}

/** Called when a hook fails, which does not block but must be reported. */
type OnFailure = (error: unknown) => void;

/** The `agentStop` hooks as a gate. They are asked in order; the first that blocks with a reason decides. */
export const agentStopGate = (hooks: EngineHooks, failed: OnFailure): Gate =>
  stopGate("agent-stop", hooks.agentStop ?? [], failed);

/** The `subagentStop` hooks as the gate of one sub-agent. */
export const subagentStopGate = (hooks: EngineHooks, agent: StoppingAgent, failed: OnFailure): Gate =>
  stopGate(
    "subagent-stop",
    (hooks.subagentStop ?? []).map((hook) => (stop, response) => hook({ ...agent, ...stop, response })),
    failed,
  );

type StopHook = (stop: AgentStop, text: string) => Promise<StopWord | undefined>;

function stopGate(name: string, stopHooks: readonly StopHook[], failed: OnFailure): Gate {
  return {
    name,
    exitCode: 9,
    async check({ blocked, text }) {
      for (const hook of stopHooks) {
        try {
          const word = await hook({ stopReason: "end_turn", stopHookActive: blocked > 0 }, text);
          const reason = word?.decision === "block" ? word.reason?.trim() : undefined;
          if (reason !== undefined && reason !== "") return reason;
        } catch (error) {
          failed(error);
        }
      }
      return undefined;
    },
  };
}
