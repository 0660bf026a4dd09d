import type { EngineSettings } from "../../contract/engine-settings.ts";
import type { SessionEvent } from "../event.ts";
import type { Gate, GateStep } from "./gate.ts";

/** How often each gate blocked in a row, and in which state of the world. */
export type GateCounts = Map<string, { readonly blocked: number; readonly state: string | undefined }>;

export type GateWord =
  | { readonly kind: "passed" }
  | { readonly kind: "blocked"; readonly reason: string }
  | { readonly kind: "gave-up"; readonly because: string };

interface Asking {
  readonly step: Omit<GateStep, "blocked">;
  readonly counts: GateCounts;
  readonly parts: {
    readonly settings: EngineSettings;
    readonly fingerprint?: (signal: AbortSignal) => Promise<string | undefined>;
  };
}

/** Asks the gates in order. The first that blocks decides; one that blocks too often while nothing changes gives up. */
export async function* askGates(
  gates: readonly Gate[],
  { step, counts, parts }: Asking,
): AsyncGenerator<SessionEvent, GateWord> {
  for (const gate of gates) {
    if (step.signal.aborted) break;
    const before = counts.get(gate.name) ?? { blocked: 0, state: undefined };
    const reason = (await gate.check({ ...step, blocked: before.blocked }))?.trim() ?? "";
    if (step.signal.aborted) break;
    if (reason === "") {
      if (before.blocked > 0) yield { type: "gate-passed", gate: gate.name };
      counts.delete(gate.name);
      continue;
    }
    const state = await parts.fingerprint?.(step.signal);
    const unchanged = state === undefined || state === before.state;
    const blocked = unchanged ? before.blocked + 1 : 1;
    counts.set(gate.name, { blocked, state });
    if (blocked > parts.settings.gate_blocks) {
      yield { type: "gate-gave-up", gate: gate.name, reason };
      const times = `${parts.settings.gate_blocks} times in a row and nothing changed`;
      return { kind: "gave-up", because: `the ${gate.name} gate blocked ${times}; its last reason: ${reason}` };
    }
    yield { type: "gate-blocked", gate: gate.name, reason };
    return { kind: "blocked", reason };
  }
  return { kind: "passed" };
}
