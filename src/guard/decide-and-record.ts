import type { AgentCall } from "../contract/agent-call.ts";
import type { Machine } from "../contract/machine.ts";
import type { Policy } from "../contract/policy.ts";
import type { CommandScreen } from "../contract/screening.ts";
import type { AuditEntry, Decision } from "../contract/verdict.ts";
import { canonicalJson } from "../lib/json/json-value.ts";
import { messageOf } from "../lib/text/user-error.ts";
import { isStricter, judge, type JudgeExtras } from "./judge/judge.ts";
import { commandOf } from "./judge/tool-call.ts";
import { policyHash } from "./policy/compiled-policy.ts";
import { asIfTrusted } from "./policy/merge-policy.ts";
import { redact, secretValues } from "./redact.ts";
import { leaveSandbox, recipePolicy } from "./signalbox-calls.ts";

/** What judging and recording a call needs: the caller, where the record goes, and how secrets are removed from it. */
export interface RecordParts {
  readonly machine: Machine & JudgeExtras;
  readonly session: string;
  readonly agent: string;
  readonly append: (entry: AuditEntry) => void;
  readonly redact: (text: string) => string;
}

const MAX_CALL = 4000;

const MAX_REASON = 300;

/**
 * Judges a call without recording it, also one that asks to leave the sandbox. Names an ignored policy file that would
 * have changed the decision.
 */
export function decide(call: AgentCall, policy: Policy, machine: Machine & JudgeExtras): Decision {
  const source = commandOf(call.input) ?? "";
  const left = source.includes("outside") ? leaveSandbox(call, policy, machine, judge) : undefined;
  // Some questions of a preset do not count for a call of a recipe.
  const isRecipe = source.startsWith("signalbox recipe ");
  const counted = isRecipe ? recipePolicy(call, source, policy, machine) : policy;
  return nameIgnored(left ?? judge(call, counted, machine), call, policy, machine);
}

/** Judges a call and records the decision before returning it. Denies if the decision cannot be recorded. */
export function decideAndRecord(call: AgentCall, policy: Policy, parts: RecordParts): Decision {
  const decision = decide(call, policy, parts.machine);
  return recordDecision(call, policy, { ...parts, decision });
}

/** Records a decision made here or by a person who was asked. Denies if it cannot be recorded. */
export function recordDecision(
  call: AgentCall,
  policy: Policy,
  parts: RecordParts & { readonly decision: Decision },
): Decision {
  const { decision } = parts;
  try {
    parts.append(auditEntry(call, policy, parts));
    return decision;
  } catch (error) {
    const because = `blocked, because the decision could not be recorded: ${messageOf(error)}`;
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
  call: AgentCall,
  policy: Policy,
  { machine, session, agent, redact: redactText, decision }: RecordParts & { readonly decision: Decision },
): AuditEntry {
  return {
    time: new Date(machine.now()).toISOString(),
    session,
    agent,
    tool: call.tool,
    call: redactText(canonicalJson(call.input)).slice(0, MAX_CALL),
    cwd: call.cwd ?? policy.workspaceRoot,
    effects: decision.effects.slice(0, 50).map(({ kind, target }) => redactText(`${kind} ${target}`).slice(0, 300)),
    verdict: decision.verdict,
    code: decision.code,
    rules: decision.rules,
    ...(decision.verdict === "allow" ? {} : { because: redactText(decision.because).slice(0, MAX_REASON) }),
    ...(decision.contained === undefined ? {} : { contained: decision.contained }),
    policy: policyHash(policy),
  };
}

/** The given screen for shell commands, and a redactor that knows the secrets in an environment. */
export function guardParts(
  environment: Readonly<Record<string, string | undefined>>,
  screen: CommandScreen,
): { readonly screen: CommandScreen; readonly redact: (text: string) => string } {
  const values = secretValues(environment);
  return { screen, redact: (text) => redact(text, { values }).text };
}

/** Adds the policy file that would have made a decision less strict, if it is ignored for want of trust. */
function nameIgnored(decision: Decision, call: AgentCall, policy: Policy, machine: Machine & JudgeExtras): Decision {
  const [first] = policy.ignored ?? [];
  if (decision.verdict === "allow" || first === undefined) return decision;
  const trusted = judge(call, asIfTrusted(policy), machine);
  const helps =
    isStricter(decision.verdict, trusted.verdict) ||
    (trusted.verdict === decision.verdict && objections(trusted) < objections(decision));
  if (!helps) return decision;
  const { file, changed } = first;
  return { ...decision, ignored: { file, changed, allows: trusted.verdict === "allow" } };
}

const objections = ({ findings }: Decision) => findings.filter(({ verdict }) => verdict !== "allow").length;
