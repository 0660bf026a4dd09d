import type { EngineSettings } from "../../contract/engine-settings.ts";
import type { SessionEvent } from "../event.ts";
import type { Gate, GateStep } from "./gate.ts";

/** How often each gate blocked in a row. Begins with an empty map and no change. */
export interface GateCounts {
  readonly blocks: Map<string, { readonly blocked: number; readonly changes: number }>;
  /** How often the world was found changed between two rounds. */
  changes: number;
  /** The world as the gate that blocked last left it: what gates change themselves is no work. */
  left?: string | undefined;
}

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
  if (counts.left !== undefined) {
    const found = await parts.fingerprint?.(step.signal);
    if (found !== undefined && found !== counts.left) counts.changes++;
  }
  const { changes } = counts;
  for (const gate of gates) {
    if (step.signal.aborted) break;
    const before = counts.blocks.get(gate.name) ?? { blocked: 0, changes };
    const reason = (await gate.check({ ...step, blocked: before.blocked }))?.trim() ?? "";
    if (step.signal.aborted) break;
    if (reason === "") {
      if (before.blocked > 0) yield { type: "gate-passed", gate: gate.name };
      counts.blocks.delete(gate.name);
      continue;
    }
    const blocked = before.changes === changes ? before.blocked + 1 : 1;
    counts.blocks.set(gate.name, { blocked, changes });
    if (blocked > parts.settings.gate_blocks) {
      yield { type: "gate-gave-up", gate: gate.name, reason };
      const times = `${parts.settings.gate_blocks} times in a row and nothing changed`;
      return { kind: "gave-up", because: `the ${gate.name} gate blocked ${times}; its last reason: ${reason}` };
    }
    counts.left = await parts.fingerprint?.(step.signal);
    yield { type: "gate-blocked", gate: gate.name, reason };
    return { kind: "blocked", reason };
  }
  return { kind: "passed" };
}
