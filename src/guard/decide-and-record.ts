import { canonicalJson } from "../lib/canonical-json.ts";
import type { AuditEntry } from "./audit/record.ts";
import { type Decision, judge, type JudgeExtras } from "./judge.ts";
import { policyHash } from "./policy/policy-hash.ts";
import type { Policy } from "./policy/policy.ts";
import type { ToolCall } from "./tool-call.ts";
import type { World } from "./world.ts";
import { messageOf } from "../lib/message-of.ts";

/** What a recorded decision needs: who calls, where the record goes, and how secrets leave it. */
export interface RecordParts {
  readonly world: World & JudgeExtras;
  readonly session: string;
  readonly agent: string;
  readonly append: (entry: AuditEntry) => void;
  readonly redact: (text: string) => string;
}

const MAX_CALL = 4000;

/** Judges a call and writes the decision down first. When it cannot be written, the answer is a denial. */
export function decideAndRecord(call: ToolCall, policy: Policy, parts: RecordParts): Decision {
  const decision = judge(call, policy, parts.world);
  return recordDecision(call, policy, { ...parts, decision });
}

/** Writes down what was decided, here or by a person who was asked. When it cannot be written, the answer is a denial. */
export function recordDecision(
  call: ToolCall,
  policy: Policy,
  parts: RecordParts & { readonly decision: Decision },
): Decision {
  const { decision } = parts;
  try {
    parts.append(auditEntry(call, policy, parts));
    return decision;
  } catch (error) {
    const because = `the decision could not be written down, so nothing may happen: ${messageOf(error)}`;
    const finding = {
      verdict: "deny",
      code: "audit-failed",
      rule: "floor:audit",
      because,
      fragment: call.tool,
    } as const;
    return {
      ...decision,
      verdict: "deny",
      code: finding.code,
      rules: [finding.rule],
      because,
      findings: [...decision.findings, finding],
    };
  }
}

function auditEntry(
  call: ToolCall,
  policy: Policy,
  { world, session, agent, redact, decision }: RecordParts & { readonly decision: Decision },
): AuditEntry {
  return {
    time: new Date(world.now()).toISOString(),
    session,
    agent,
    tool: call.tool,
    call: redact(canonicalJson(call.input)).slice(0, MAX_CALL),
    cwd: call.cwd ?? policy.workspaceRoot,
    effects: decision.effects.slice(0, 50).map(({ kind, target }) => redact(`${kind} ${target}`).slice(0, 300)),
    verdict: decision.verdict,
    code: decision.code,
    rules: decision.rules,
    policy: policyHash(policy),
  };
}
