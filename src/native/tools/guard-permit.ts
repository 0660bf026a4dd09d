import type { ModelCall } from "../../contract/engine-event.ts";
import type { Machine } from "../../contract/machine.ts";
import type { Policy } from "../../contract/policy.ts";
import type { AskPerson, Permission, PermissionAnswer, Permit, QuestionParts } from "../../contract/tool.ts";
import type { Decision } from "../../contract/verdict.ts";
import { decideAndRecord, recordDecision, type RecordParts } from "../../guard/decide-and-record.ts";
import { approvalMeans } from "../../guard/allow/offer.ts";
import { explainChoices, explainToModel, explainToPerson } from "../../guard/explain.ts";
import { judge } from "../../guard/judge/judge.ts";
import { toolKind } from "../../guard/judge/tool-call.ts";
import { presetPolicy } from "../../guard/policy/compiled-policy.ts";
import { canonicalJson, isRecord } from "../../lib/json/json-value.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import type { CommandContainment } from "../../sandbox/run/contained-commands.ts";
import { flatten } from "../../shell/model/script.ts";
import { readScript } from "../../shell/parse/read-script.ts";
import type { AskedCall } from "./offered-rule.ts";
import type { PathGate } from "./path-gate.ts";

interface PermitParts extends RecordParts {
  readonly policy: Policy;
  readonly gate: PathGate;
  /** Whether text from outside has tried to steer the model since the user's last message. */
  readonly tainted: () => boolean;
  readonly containment: CommandContainment;
  /** Where a rule is written that the person wants. */
  readonly signalboxHome: string;
  /** Absent when nobody can be asked; `ask` then becomes a denial. */
  readonly ask?: AskPerson | undefined;
  /** Calls that the person has approved for the session, where several agents of one session share them. */
  readonly approved?: Set<string> | undefined;
}

/** The guard in front of the tools: judges, logs, asks the person where needed, and remembers the answers. */
export function guardPermit(parts: PermitParts): Permit {
  const { approved = new Set() } = parts;
  return async (call, signal) => {
    const before = placeOf(call, parts.gate);
    if (before instanceof Error) return { verdict: "deny", because: before.message };
    const isShell = toolKind(call.name) === "shell";
    const containment = isShell ? await parts.containment.judged() : {};
    const machine = { ...parts.machine, tainted: parts.tainted(), ...containment };
    const judged = { tool: call.name, input: call.input, cwd: parts.policy.workspaceRoot };
    const decision = decideAndRecord(judged, parts.policy, { ...parts, machine });
    const permission = await settle(decision, { call, signal, parts, approved, machine });
    if (permission.verdict === "allow" && isShell) return await placed(call, decision, parts);
    if (permission.verdict !== "allow" || before === undefined) return permission;
    if (placeOf(call, parts.gate) !== before)
      return { verdict: "deny", because: "the path changed while it was being judged" };
    parts.gate.note(call.id, before);
    return permission;
  };
}

/** Has the command run where it was judged to run. */
async function placed({ input }: ModelCall, decision: Decision, parts: PermitParts): Promise<Permission> {
  const { containment, session, agent } = parts;
  const command = isRecord(input) ? input["command"] : undefined;
  try {
    if (typeof command === "string") await containment.place(command, decision, { session, agent });
    return { verdict: "allow" };
  } catch (error) {
    return { verdict: "deny", because: `what it needs could not be lent: ${messageOf(error)}` };
  }
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
  /** What the call was judged with. */
  readonly machine: Machine;
}

async function settle(decision: Decision, { call, signal, parts, approved, machine }: Case): Promise<Permission> {
  const { ask, tainted } = parts;
  if (decision.verdict === "allow") return { verdict: "allow" };
  const judged = { call: { tool: call.name, input: call.input }, policy: parts.policy };
  if (decision.verdict === "deny") return { verdict: "deny", because: explainToModel(decision, judged) };
  const key = canonicalJson({ name: call.name, input: call.input });
  const canRemember = !tainted() && mayRepeat(call, parts);
  if (canRemember && approved.has(key)) return { verdict: "allow" };
  const alone: Permission = {
    verdict: "deny",
    because: `${explainToModel(decision, judged)} Nobody is available to approve it.`,
  };
  if (ask === undefined) return alone;
  const because = `${decision.because}.${explainChoices(decision, judged)}`;
  const asked = { call: { ...judged.call, cwd: parts.policy.workspaceRoot }, policy: parts.policy, machine };
  const questionParts = lazyParts(decision, { ...asked, signalboxHome: parts.signalboxHome });
  const answer = await ask({ call, because, canRemember, parts: questionParts }, signal);
  if (answer === "nobody") return alone;
  const refusal = recordAnswer(answer, decision, { call, parts });
  if (refusal !== undefined) return refusal;
  // A rule that was written counts from the next session on.
  if (answer !== "once" && canRemember) approved.add(key);
  return { verdict: "allow" };
}

/** What a question is made of. What writes rules is loaded when somebody wants one. */
const lazyParts = (decision: Decision, judged: AskedCall): QuestionParts => ({
  why: decision.because,
  lends: approvalMeans(decision),
  details: () => explainToPerson(callText(judged.call), decision, judged),
  rule: async () => (await import("./offered-rule.ts")).offeredRule(judged),
});

const callText = ({ tool, input }: AskedCall["call"]) =>
  toolKind(tool) === "shell" && isRecord(input) ? String(input["command"]) : tool;

function mayRepeat({ name, input }: ModelCall, { policy, machine }: PermitParts): boolean {
  if (toolKind(name) !== "shell") return true;
  const command = isRecord(input) ? input["command"] : undefined;
  return typeof command === "string" && assessCommand(command, policy, machine).canOfferSessionApproval;
}

/** The person's decision is logged too, and counts only once it is. */
function recordAnswer(
  answer: PermissionAnswer,
  judged: Decision,
  { call, parts }: Pick<Case, "call" | "parts">,
): Permission | undefined {
  const instead = typeof answer === "object" ? answer.instead : undefined;
  const kind = typeof answer === "object" ? "reject" : answer;
  const verdict = kind === "reject" ? "deny" : "allow";
  const decision: Decision = { ...judged, verdict, code: `person-${kind}`, rules: ["person"] };
  const input = { tool: call.name, input: call.input, cwd: parts.policy.workspaceRoot };
  const recorded = recordDecision(input, parts.policy, { ...parts, decision });
  if (instead !== undefined) return { verdict: "deny", because: `the person said no, and: ${instead}` };
  if (answer === "reject") return { verdict: "reject", because: "the person said no" };
  return recorded.verdict === "deny" ? { verdict: "deny", because: recorded.because } : undefined;
}

/** What a command would do, for the person who must decide about it. */
interface CommandAssessment {
  readonly commands: readonly { readonly identifier: string; readonly readOnly: boolean }[];
  readonly possiblePaths: readonly string[];
  readonly possibleUrls: readonly string[];
  readonly hasWriteFileRedirection: boolean;
  /** Its text alone determines what it does, so an approval can be reused for the same text. */
  readonly canOfferSessionApproval: boolean;
}

/** Summarizes the effects that the guard finds. What cannot be parsed is assumed to be the worst. */
export function assessCommand(command: string, policy: Policy, world: Machine): CommandAssessment {
  const { effects, verdict, findings } = judge({ tool: "bash", input: { command } }, policy, world);
  const lookingOnly = presetPolicy("read-only", policy);
  const targets = (...kinds: readonly string[]) => [
    ...new Set(effects.filter(({ kind }) => kinds.includes(kind)).map(({ target }) => target)),
  ];
  return {
    commands: targets("run").map((text) => ({
      identifier: identify(text),
      readOnly: judge({ tool: "bash", input: { command: text } }, lookingOnly, world).verdict === "allow",
    })),
    possiblePaths: targets("read", "write", "delete"),
    possibleUrls: targets("network"),
    hasWriteFileRedirection: writesByRedirection(command),
    canOfferSessionApproval: verdict !== "deny" && isProven(command) && !findings.some(({ code }) => UNSURE.test(code)),
  };
}

const isProven = (command: string) =>
  !readScript(command, "bash").doubts.some(({ code }) => code === "unproven" || code === "too-much");

/** Codes of findings about things that only running the command would show. */
const UNSURE = /-unknown$|^opaque-code$|^unproven$|^syntax$|^encoding$/;

const WITH_SUBCOMMAND = new Set("git npm pnpm yarn cargo go docker kubectl gh pip terraform make".split(" "));

/** The program, with its sub-command if it has one: `git push`. */
function identify(text: string): string {
  const [program = "", second = ""] = text.split(" ");
  const name = program.slice(program.lastIndexOf("/") + 1);
  return WITH_SUBCOMMAND.has(name) && /^[a-z][\w:-]*$/.test(second) ? `${name} ${second}` : name;
}

const WRITING = new Set([">", ">>", ">|", "&>", "&>>", "<>"]);

function writesByRedirection(command: string): boolean {
  const { nodes, errors } = readScript(command, "bash");
  if (errors.length > 0) return true;
  return flatten(nodes).some(({ redirects }) =>
    redirects.some(({ operator, target }) => {
      const [piece] = target.pieces;
      return WRITING.has(operator) && !(piece?.kind === "text" && piece.text === "/dev/null");
    }),
  );
}
