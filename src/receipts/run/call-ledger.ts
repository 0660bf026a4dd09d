import { type AgentEvent, isRefusedByAgent } from "../../contract/agent-event.ts";
import { type ToolKind, toolKind } from "../../guard/judge/tool-call.ts";
import type { Verdict } from "../../contract/verdict.ts";
import { canonicalJson, isRecord } from "../../lib/json/json-value.ts";
import { sha256 } from "../../lib/json/sha256.ts";

/** Compares the guard's decisions with what happened. Also rebuilt from the log of a killed run. */
export interface CallLedger {
  readonly decided: (key: string, tool: string, verdict: Verdict) => void;
  /** Counts a question. Its answer is decided with `decided`. */
  readonly asked: () => void;
  /** Hooks have rules of their own, so their answer can be stricter, or given without our decision. */
  readonly answered: (key: string, tool: string, verdict: Verdict) => void;
  readonly see: (event: AgentEvent) => void;
  readonly isDecided: (event: Extract<AgentEvent, { type: "tool_call" }>) => boolean;
  /** `holds` means that this host asks about every call. A request and a call of the same kind are then matched up. */
  readonly counts: (holds: boolean) => GuardCounts;
}

export interface GuardCounts {
  readonly decisions: Readonly<Record<Verdict, number>>;
  /** Calls that ran without a decision or despite a denial, by tool and id. */
  readonly callsNotHeld: readonly string[];
  /** The last decided call was denied, and no tool call ran after it. */
  readonly lastDenied: boolean;
}

export const NO_COUNTS: GuardCounts = { decisions: { allow: 0, ask: 0, deny: 0 }, callsNotHeld: [], lastDenied: false };

/**
 * Identifies a call by its event's id, or else by its content. The same command has the same key in every shell tool.
 */
export function callKey({ tool, input, id }: KnownCall): string {
  if (id !== undefined && id !== null) return id;
  const command = toolKind(tool) === "shell" && isRecord(input) ? input["command"] : undefined;
  return sha256(typeof command === "string" ? `shell ${command}` : `${tool} ${canonicalJson(input)}`);
}

interface KnownCall {
  readonly tool: string;
  readonly input: unknown;
  readonly id?: string | null | undefined;
}

export function openLedger(): CallLedger {
  const decisions: Record<Verdict, number> = { allow: 0, ask: 0, deny: 0 };
  const verdicts = new Map<string, Verdict>();
  const requests: { readonly key: string; readonly kind: ToolKind }[] = [];
  const calls: SeenCall[] = [];
  const keysOf = new Map<string, readonly string[]>();
  const refused = new Set<string>();
  const defiant: string[] = [];
  let lastDenied = false;
  const decided = (key: string, tool: string, verdict: Verdict): void => {
    decisions[verdict]++;
    requests.push({ key, kind: toolKind(tool) });
    verdicts.set(key, verdict);
    lastDenied = verdict !== "allow";
  };
  return {
    decided,
    answered(key, tool, verdict) {
      if (!verdicts.has(key)) return decided(key, tool, verdict);
      const before = verdicts.get(key) ?? "allow";
      if (verdict === "allow") return;
      decisions[before]--;
      decisions[verdict]++;
      verdicts.set(key, verdict);
      lastDenied = true;
    },
    asked: () => void decisions.ask++,
    isDecided: (event) => keysFor(event).some((key) => verdicts.has(key)),
    see(event) {
      if (event.type === "tool_call") {
        const keys = keysFor(event);
        calls.push({ label: labelOf(event), keys, kind: toolKind(event.tool_name) });
        if (event.tool_use_id !== null) keysOf.set(event.tool_use_id, keys);
        // A call that the agent left out is in the trace after a denial that preceded it.
        if (keys.map((key) => verdicts.get(key)).find((verdict) => verdict !== undefined) === "allow")
          lastDenied = false;
      }
      if (event.type !== "tool_result") return;
      const id = event.tool_use_id ?? "";
      if (isRefusedByAgent(event)) refused.add(id);
      const wasDenied = [id, ...(keysOf.get(id) ?? [])].some((key) => (verdicts.get(key) ?? "allow") !== "allow");
      const ran = !event.is_error && !isDenied(event.output);
      if (wasDenied && ran) defiant.push(`${labelOf(event)} (denied, and run)`);
      lastDenied = isDenied(event.output) || (wasDenied && !ran);
    },
    counts(holds) {
      // Computed only now, because an agent may report a call before its hook asks about it.
      const unasked = calls.filter(({ keys }) => !keys.some((key) => verdicts.has(key) || refused.has(key)));
      const reportedKeys = new Set(calls.flatMap(({ keys }) => keys));
      const unmatchedKinds = holds ? requests.filter(({ key }) => !reportedKeys.has(key)).map(({ kind }) => kind) : [];
      const notHeld = unasked.filter(({ kind }) => {
        const at = unmatchedKinds.indexOf(kind);
        if (at !== -1) unmatchedKinds.splice(at, 1);
        return at === -1;
      });
      return { decisions, callsNotHeld: [...notHeld.map(({ label }) => label), ...defiant], lastDenied };
    },
  };
}

const keysFor = ({ tool_name: tool, tool_use_id: id, input }: Extract<AgentEvent, { type: "tool_call" }>) => [
  callKey({ tool, input, id }),
  callKey({ tool, input }),
];

interface SeenCall {
  readonly label: string;
  readonly keys: readonly string[];
  readonly kind: ToolKind;
}

const labelOf = ({
  tool_name: tool,
  tool_use_id: id,
}: {
  readonly tool_name: string;
  readonly tool_use_id: string | null;
}) => (id === null ? tool : `${tool} ${id}`);

const isDenied = (output: unknown) => isRecord(output) && output["denied"] === true;
