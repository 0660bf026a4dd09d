import { isRecord } from "../../lib/json/json-value.ts";
import { lexicalPath } from "../../lib/path/real-path.ts";
import type { Policy } from "../../contract/policy.ts";
import { type Word, word } from "../../shell/model/word.ts";
import { exportEffects } from "../../shell/model/shell-state.ts";
import { type ReadyPolicy, ready } from "../rules/ready-policy.ts";
import { examineShell } from "../examine/examine.ts";
import type { Decision, GuardFinding, SeenEffect, Verdict } from "../../contract/verdict.ts";
import { commandOf, judgeToolName, toolKind } from "./tool-call.ts";
import { judgeFields } from "./judge-fields.ts";
import { isHostLent, leavesAlone, lendsAlone, mostInformativeFirst, notLent, ON_ITS_OWN } from "./findings.ts";
import type { AgentCall, CallContainment } from "../../contract/agent-call.ts";
import type { CommandScreen } from "../../contract/screening.ts";
import { holdFinding, taintInside } from "../contain/hold-finding.ts";
import { type Inside, insideOf } from "../contain/inside.ts";
import type { Machine } from "../../contract/machine.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import { printableLine } from "../../lib/text/printable.ts";

export interface JudgeExtras extends CallContainment {
  /** Screens shell input for injected instructions. Can only make a verdict stricter. */
  readonly screen?: CommandScreen | undefined;
  /**
   * Untrusted text has asked for something since the user's last message, so network, protected paths and new programs
   * need approval.
   */
  readonly tainted?: boolean | undefined;
  /** True for a host that this session has already reached through the door. */
  readonly reached?: ((host: string) => boolean) | undefined;
}

/**
 * Decides whether a call may run. Pure: everything about the machine comes from `machine`. Never throws; any failure is
 * a denial.
 */
export function judge(call: AgentCall, policy: Policy, machine: Machine & JudgeExtras): Decision {
  try {
    const inside = toolKind(call.tool) === "shell" ? insideOf(policy, machine) : undefined;
    const examined = examine(call, ready(policy), machine, inside);
    if (inside === undefined) {
      const raised = machine.tainted === true ? raiseTaint(examined) : [];
      return decide([...examined.findings, ...raised], examined.effects, policy.interactive);
    }
    const isAskedTwice = inside.leaves || examined.findings.some(isHostLent);
    const outside = isAskedTwice ? judge(call, policy, { ...machine, contained: undefined }) : undefined;
    const isFine = inside.leaves && outside?.verdict === "allow";
    if (isFine && leavesAlone(outside, policy)) return { ...outside, contained: false };
    const counted = lendsAlone(outside, policy)
      ? examined
      : { ...examined, findings: examined.findings.map((finding) => notLent(finding, policy)) };
    return decideInside(isFine ? apart(counted) : counted, policy, machine);
  } catch (error) {
    const because = `blocked, because the guard failed: ${messageOf(error)}`;
    const finding: GuardFinding = {
      verdict: "deny",
      code: "guard-failed",
      rule: "floor:fail-shut",
      because,
      fragment: call.tool,
    };
    return { verdict: "deny", code: finding.code, rules: [finding.rule], because, findings: [finding], effects: [] };
  }
}

interface Examined {
  readonly findings: readonly GuardFinding[];
  readonly effects: readonly SeenEffect[];
}

function examine(
  call: AgentCall,
  policy: ReadyPolicy,
  machine: Machine & JudgeExtras,
  inside: Inside | undefined,
): Examined {
  // Read the clock first, to notice a machine without one before allowing anything.
  if (!Number.isFinite(machine.now())) throw new Error("the clock is not working");
  const named = judgeToolName(call.tool, policy);
  const garbled = garbledText(call.input);
  if (toolKind(call.tool) !== "shell") {
    const { findings, effects } = judgeFields(call, { policy, machine });
    return { findings: [...named, ...garbled, ...findings], effects };
  }
  const command = commandOf(call.input);
  if (command === undefined)
    return { findings: [...named, broken("the call has no command, or more than one")], effects: [] };
  const cwd = workingFolder(call, policy.policy);
  if (cwd === undefined)
    return { findings: [...named, broken("the working folder is not an absolute path")], effects: [] };
  // A sandbox runs its commands with bash, whatever shell the call names.
  const shell = inside !== undefined ? "bash" : call.shell === "foreign" ? "any" : call.shell;
  const variables = variablesOf(call.input);
  const exam = examineShell(command, { policy, machine, cwd, shell, inside, variables });
  const beside = judgeFields({ ...call, input: besideCommand(call.input) }, { policy, machine }).findings;
  const here = (found: readonly GuardFinding[]) =>
    inside === undefined ? found : found.map((finding) => holdFinding(finding, inside));
  const around = [
    ...beside.filter(({ verdict }) => verdict !== "allow"),
    ...variableFindings(call.input),
    ...(call.shell === "foreign" && inside === undefined ? [foreignShell(command)] : []),
  ];
  return {
    findings: [
      ...named,
      ...here(garbled),
      ...exam.findings,
      ...here(around),
      ...screenFindings(command, machine.screen),
    ],
    effects: exam.seen,
  };
}

function foreignShell(command: string): GuardFinding {
  const because = "it names a shell that signalbox cannot parse; use bash, or omit the shell";
  return { verdict: "ask", code: "shell-foreign", rule: "proof", because, fragment: command.slice(0, 120) };
}

/** Invalid bytes arrive as U+FFFD, so the judged text is not what would run. */
function garbledText(input: unknown): readonly GuardFinding[] {
  if (!(JSON.stringify(input) ?? "").includes("\ufffd")) return [];
  const because = "it contains binary data, so what would run is unknown";
  return [{ verdict: "ask", code: "encoding", rule: "floor:encoding", because, fragment: "\ufffd" }];
}

const FOLDER_KEYS = ["workdir", "cwd", "working_directory", "workingDirectory", "directory", "dir"] as const;

/** A shell tool's input except the command itself and its variables. */
function besideCommand(input: unknown): unknown {
  if (!isRecord(input)) return {};
  return Object.fromEntries(
    Object.entries(input).filter(([key]) => !/^(?:command|cmd|script|args|env|environment)$/.test(key)),
  );
}

/** The variables that a tool sets for the command, as the shell would see them. */
function variablesOf(input: unknown): ReadonlyMap<string, Word> | undefined {
  const given = isRecord(input) ? (input["env"] ?? input["environment"]) : undefined;
  return isRecord(given)
    ? new Map(Object.entries(given).map(([name, value]) => [name, word(String(value))]))
    : undefined;
}

/** Variables that a tool sets for the command are judged like assignments in front of it. */
function variableFindings(input: unknown): readonly GuardFinding[] {
  const given = isRecord(input) ? (input["env"] ?? input["environment"]) : undefined;
  if (given === undefined) return [];
  if (!isRecord(given)) return [broken("the command's variables are not name-value pairs")];
  return Object.entries(given).flatMap(([name, value]) =>
    exportEffects(name, { text: String(value), glob: false }).flatMap((effect): readonly GuardFinding[] =>
      effect.kind === "doubt"
        ? [
            {
              verdict: effect.verdict,
              code: effect.code,
              rule: `effect:${effect.code}`,
              because: effect.because,
              fragment: name,
            },
          ]
        : [],
    ),
  );
}

function broken(because: string): GuardFinding {
  return { verdict: "deny", code: "input", rule: "floor:input", because, fragment: "" };
}

/** The folder that the command runs in: the agent's, or one named by the call relative to it. */
function workingFolder(call: AgentCall, policy: Policy): string | undefined {
  const base = call.cwd ?? policy.workspaceRoot;
  if (!base.startsWith("/")) return undefined;
  const { input } = call;
  const named = isRecord(input)
    ? FOLDER_KEYS.map((key) => input[key]).find((value) => typeof value === "string")
    : undefined;
  return named === undefined ? base : lexicalPath(named, base);
}

function screenFindings(text: string, screen: CommandScreen | undefined): readonly GuardFinding[] {
  const result = screen?.(text);
  if (result === undefined || (result.risk !== "high" && result.risk !== "critical")) return [];
  const because = result.findings[0]?.because ?? "the text tries to instruct the agent";
  return [{ verdict: "deny", code: "injection", rule: "screen", because, fragment: text.slice(0, 120) }];
}

/** After untrusted text, network use, changes and anything allowed without an explicit rule need approval. */
function raiseTaint({ findings, effects }: Examined): readonly GuardFinding[] {
  const networkEffect = effects.find(({ kind }) => kind === "network");
  const unnamed = findings.find(
    ({ code, verdict }) => (code === "no-rule" || code === "rule-any") && verdict === "allow",
  );
  if (networkEffect === undefined && unnamed === undefined) return [];
  return [
    {
      verdict: "ask",
      code: "taint",
      rule: "taint",
      because: "untrusted text was read since your last message, and this accesses the network or runs something new",
      fragment: networkEffect?.target ?? unnamed?.fragment ?? "",
    },
  ];
}

/** What would leave unasked if it were alone. */
const apart = ({ findings, effects }: Examined): Examined => ({
  findings: findings.map((finding) =>
    finding.need?.kind === "outside" ? { ...finding, instead: ON_ITS_OWN } : finding,
  ),
  effects,
});

/** The decision on a command in a sandbox: where it runs, and what approving it would lend. */
function decideInside({ findings, effects }: Examined, policy: Policy, machine: JudgeExtras): Decision {
  const counted = machine.tainted === true ? taintInside(findings, effects, machine.reached) : findings;
  const needFirst = counted.toSorted((one, other) => Number(isMissing(other)) - Number(isMissing(one)));
  const decision = decide(needFirst, effects, policy.interactive);
  const missing = new Map(
    counted
      .filter((finding) => isMissing(finding) || isHostLent(finding))
      .flatMap(({ need }) => (need === undefined ? [] : [[`${need.kind} ${need.target}`, need] as const])),
  );
  // Outside, nothing has to be lent.
  const outside = [...missing.values()].filter(({ kind }) => kind === "outside");
  const needs = outside.length > 0 ? outside : [...missing.values()];
  return {
    ...decision,
    because: decision.verdict === "allow" ? becauseInside(decision) : decision.because,
    contained: outside.length === 0,
    ...(needs.length === 0 ? {} : { needs }),
  };
}

/** What would have been asked about outside is allowed because of the sandbox. */
const becauseInside = ({ because, findings }: Decision) =>
  findings.some(({ heldBy }) => heldBy !== undefined) ? "runs in the sandbox" : because;

const isMissing = ({ need, verdict }: GuardFinding) => need !== undefined && verdict !== "allow";

/** Joins findings: the strictest wins. Without anyone to ask, `ask` becomes `deny`. */
function decide(given: readonly GuardFinding[], effects: readonly SeenEffect[], interactive: boolean): Decision {
  // A reason may quote the call, and must not look like more than one.
  const findings = given.map((finding) => ({ ...finding, because: printableLine(finding.because) }));
  const joined = findings.reduce<Verdict>(
    (verdict, finding) => stricter(verdict, finding.verdict),
    findings.length === 0 ? "deny" : "allow",
  );
  const deciding = mostInformativeFirst(findings.filter((finding) => finding.verdict === joined));
  const [first] = deciding;
  const verdict = joined === "ask" && !interactive ? "deny" : joined;
  const because = first?.because ?? "this call is unknown";
  return {
    verdict,
    code: first?.code ?? "unknown",
    rules: [...new Set(deciding.map(({ rule }) => rule))],
    because: verdict === joined ? because : `${because}, and nobody is available to approve it`,
    findings,
    effects,
  };
}

const STRICTNESS: Record<Verdict, number> = { allow: 0, ask: 1, deny: 2 };

/** The stricter of two verdicts: `deny` over `ask` over `allow`. */
function stricter(one: Verdict, other: Verdict): Verdict {
  return STRICTNESS[one] >= STRICTNESS[other] ? one : other;
}

/** True if `one` is stricter than `other`. */
export function isStricter(one: Verdict, other: Verdict): boolean {
  return STRICTNESS[one] > STRICTNESS[other];
}
