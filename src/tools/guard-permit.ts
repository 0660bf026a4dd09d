import type { Policy } from "../contract/policy.ts";
import type { AskPerson, ModelCall, Permission, PermissionAnswer, Permit } from "../contract/tool.ts";
import type { Decision } from "../contract/verdict.ts";
import { decideAndRecord, recordDecision, type RecordParts } from "../guard/decide-and-record.ts";
import { explainToModel } from "../guard/explain.ts";
import { toolKind } from "../guard/judge/tool-kind.ts";
import { canonicalJson } from "../lib/canonical-json.ts";
import { isRecord } from "../lib/is-record.ts";
import { assessCommand } from "./assess-command.ts";
import type { PathGate } from "./files/path-gate.ts";

export interface PermitParts extends RecordParts {
  readonly policy: Policy;
  readonly gate: PathGate;
  /** Whether text from outside has tried to steer the model since the user's last message. */
  readonly tainted: () => boolean;
  /** Absent when nobody can be asked; `ask` then becomes a denial. */
  readonly ask?: AskPerson | undefined;
}

/** The guard in front of the tools: judges, logs, asks the person where needed, and remembers the answers. */
export function guardPermit(parts: PermitParts): Permit {
  const approved = new Set<string>();
  return async (call, signal) => {
    const before = placeOf(call, parts.gate);
    if (before instanceof Error) return { verdict: "deny", because: before.message };
    const machine = { ...parts.machine, tainted: parts.tainted() };
    const judged = { tool: call.name, input: call.input, cwd: parts.policy.workspaceRoot };
    const decision = decideAndRecord(judged, parts.policy, { ...parts, machine });
    const permission = await settle(decision, { call, signal, parts, approved });
    if (permission.verdict !== "allow" || before === undefined) return permission;
    if (placeOf(call, parts.gate) !== before)
      return { verdict: "deny", because: "the path changed while it was being judged" };
    parts.gate.note(call.id, before);
    return permission;
  };
}

/** Where the path of a call leads, if it has one. */
function placeOf({ name, input }: ModelCall, gate: PathGate): string | undefined | Error {
  const path = isRecord(input) ? input["path"] : undefined;
  if (!["read", "write", "edit", "grep", "glob"].includes(toolKind(name))) return undefined;
  try {
    return gate.real(typeof path === "string" ? path : ".");
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

interface Case {
  readonly call: ModelCall;
  readonly signal: AbortSignal;
  readonly parts: PermitParts;
  /** Calls that the person has approved for the session, verbatim. */
  readonly approved: Set<string>;
}

async function settle(decision: Decision, { call, signal, parts, approved }: Case): Promise<Permission> {
  const { ask, tainted } = parts;
  if (decision.verdict === "allow") return { verdict: "allow" };
  if (decision.verdict === "deny") return { verdict: "deny", because: explainToModel(decision) };
  const key = canonicalJson({ name: call.name, input: call.input });
  const canRemember = !tainted() && mayRepeat(call, parts);
  if (canRemember && approved.has(key)) return { verdict: "allow" };
  if (ask === undefined)
    return { verdict: "deny", because: `${explainToModel(decision)} Nobody is available to approve it.` };
  const answer = await ask({ call, because: decision.because, canRemember }, signal);
  const refusal = recordAnswer(answer, decision, { call, signal, parts, approved });
  if (refusal !== undefined) return refusal;
  if (answer === "session" && canRemember) approved.add(key);
  return { verdict: "allow" };
}

function mayRepeat({ name, input }: ModelCall, { policy, machine }: PermitParts): boolean {
  if (toolKind(name) !== "shell") return true;
  const command = isRecord(input) ? input["command"] : undefined;
  return typeof command === "string" && assessCommand(command, policy, machine).canOfferSessionApproval;
}

/** The person's decision is logged too, and counts only once it is. */
function recordAnswer(answer: PermissionAnswer, judged: Decision, { call, parts }: Case): Permission | undefined {
  const verdict = answer === "reject" ? "deny" : "allow";
  const decision: Decision = { ...judged, verdict, code: `person-${answer}`, rules: ["person"] };
  const input = { tool: call.name, input: call.input, cwd: parts.policy.workspaceRoot };
  const recorded = recordDecision(input, parts.policy, { ...parts, decision });
  if (answer === "reject") return { verdict: "reject", because: "the person said no" };
  return recorded.verdict === "deny" ? { verdict: "deny", because: recorded.because } : undefined;
}
