import type { AgentEvent } from "../../contract/agent-event.ts";
import type { Verdict } from "../../guard/verdict.ts";
import { canonicalJson } from "../../lib/canonical-json.ts";
import { isRecord } from "../../lib/is-record.ts";
import { sha256 } from "../../lib/sha256.ts";

/** What the guard said and what happened, put side by side. Also made again from the log of a killed run. */
export interface CallLedger {
  readonly decided: (key: string, verdict: Verdict) => void;
  readonly see: (event: AgentEvent) => void;
  readonly tally: () => GuardTally;
}

export interface GuardTally {
  readonly decisions: Readonly<Record<Verdict, number>>;
  /** Calls that happened without a question or against the answer, by tool and id. */
  readonly callsNotHeld: readonly string[];
  /** The last call that was decided was denied: whatever came after it was no tool call that ran. */
  readonly lastDenied: boolean;
}

/** How a call is known: by the id that its event carries, else by what it is. */
export const callKey = (call: {
  readonly tool: string;
  readonly input: unknown;
  readonly id?: string | null | undefined;
}) => call.id ?? sha256(`${call.tool} ${canonicalJson(call.input)}`);

export function openLedger(): CallLedger {
  const decisions: Record<Verdict, number> = { allow: 0, ask: 0, deny: 0 };
  const verdicts = new Map<string, Verdict>();
  const calls: { readonly label: string; readonly keys: readonly string[] }[] = [];
  const keysOf = new Map<string, readonly string[]>();
  const defiant: string[] = [];
  let lastDenied = false;
  return {
    decided(key, verdict) {
      decisions[verdict]++;
      verdicts.set(key, verdict);
      lastDenied = verdict !== "allow";
    },
    see(event) {
      if (event.type === "tool_call") {
        const { tool_name: tool, tool_use_id: id, input } = event;
        const keys = [callKey({ tool, input, id }), callKey({ tool, input })];
        calls.push({ label: labelOf(event), keys });
        if (id !== null) keysOf.set(id, keys);
      }
      if (event.type !== "tool_result") return;
      const id = event.tool_use_id ?? "";
      const wasDenied = [id, ...(keysOf.get(id) ?? [])].some((key) => (verdicts.get(key) ?? "allow") !== "allow");
      const ran = !event.is_error && !isDenied(event.output);
      if (wasDenied && ran) defiant.push(`${labelOf(event)} (denied, and run)`);
      lastDenied = isDenied(event.output) || (wasDenied && !ran);
    },
    tally() {
      // Looked at only now: an agent may tell of a call before its hook has asked.
      const unasked = calls.filter(({ keys }) => !keys.some((key) => verdicts.has(key))).map(({ label }) => label);
      return { decisions, callsNotHeld: [...unasked, ...defiant], lastDenied };
    },
  };
}

const labelOf = ({
  tool_name: tool,
  tool_use_id: id,
}: {
  readonly tool_name: string;
  readonly tool_use_id: string | null;
}) => (id === null ? tool : `${tool} ${id}`);

const isDenied = (output: unknown) => isRecord(output) && output["denied"] === true;
