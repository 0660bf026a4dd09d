import type { ModelCall } from "../../contract/engine-event.ts";
import type { Machine } from "../../contract/machine.ts";
import type { Policy } from "../../contract/policy.ts";
import type { AskPerson, Permission, PermissionAnswer, Permit, QuestionParts } from "../../contract/tool.ts";
import type { AuditEntry, Decision } from "../../contract/verdict.ts";
import { decide, decideAndRecord, recordDecision } from "../../guard/decide-and-record.ts";
import { approvalMeans } from "../../guard/allow/offer.ts";
import { explainChoices, explainToModel, explainToPerson } from "../../guard/explain.ts";
import { judge } from "../../guard/judge/judge.ts";
import { toolKind } from "../../guard/judge/tool-call.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { readOnlyPolicy } from "../../guard/policy/active-policy.ts";
import { presetPolicy } from "../../guard/policy/compiled-policy.ts";
import { commandScreen } from "../../guard/screen/screen-command.ts";
import { screen } from "../../guard/screen/screen.ts";
import { canonicalJson, isRecord } from "../../lib/json/json-value.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import type { CommandContainment } from "../../sandbox/run/contained-commands.ts";
import { flatten } from "../../shell/model/script.ts";
import { readScript } from "../../shell/parse/read-script.ts";
import type { AskedCall } from "./offered-rule.ts";
import type { PathGate } from "./path-gate.ts";
import { READING_TOOLS } from "./tool-names.ts";

/** Who calls, and where what was decided goes. */
export interface Recording {
  readonly session: string;
  readonly agent: string;
  readonly append: (entry: AuditEntry) => void;
  readonly redact: (text: string) => string;
}

interface Guarding {
  readonly policy: Policy;
  readonly gate: PathGate;
  readonly record: Recording;
  readonly containment: CommandContainment;
  /** Whether text from outside has tried to steer the model since the user's last message. */
  readonly isTainted: () => boolean;
  /** Calls that the person has approved for the session, for all its agents. */
  readonly approved: Set<string>;
  /** Absent when nobody can be asked; `ask` then becomes a denial. */
  readonly askPerson: AskPerson | undefined;
  /** The user's signalbox folder, where a rule is written that the person wants. */
  readonly home: string;
}

/** With what a call was judged with. */
interface Judging extends Guarding {
  readonly machine: Machine;
}

const MACHINE = { ...realMachine, screen: commandScreen(screen) };

/** The guard in front of the tools: judges, logs, asks the person where needed, and remembers the answers. */
export function guardPermit(guarding: Guarding): Permit {
  const { policy, gate, record, containment, isTainted } = guarding;
  return async (call, signal) => {
    const before = placeOf(call, gate);
    if (before instanceof Error) return { verdict: "deny", because: before.message };
    const isShell = toolKind(call.name) === "shell";
    const contained = isShell ? await containment.judged() : {};
    const machine = { ...MACHINE, tainted: isTainted(), ...contained };
    const decision = decideAndRecord(judgedCall(call, policy), policy, { ...record, machine });
    const permission = await settle(decision, call, { ...guarding, machine }, signal);
    if (permission.verdict === "allow" && isShell) return await placed(call, decision, guarding);
    if (permission.verdict !== "allow" || before === undefined) return permission;
    if (placeOf(call, gate) !== before)
      return { verdict: "deny", because: "the path changed while it was being judged" };
    gate.note(call.id, before);
    return permission;
  };
}

const judgedCall = ({ name, input }: ModelCall, { workspaceRoot: cwd }: Policy) => ({ tool: name, input, cwd });

/** Has the command run where it was judged to run. */
async function placed(call: ModelCall, decision: Decision, { containment, record }: Guarding): Promise<Permission> {
  const { session, agent } = record;
  const command = commandOf(call);
  try {
    if (command !== undefined) await containment.place(command, decision, { session, agent });
    return { verdict: "allow" };
  } catch (error) {
    return { verdict: "deny", because: `what it needs could not be lent: ${messageOf(error)}` };
  }
}

function commandOf({ input }: ModelCall): string | undefined {
  const command = isRecord(input) ? input["command"] : undefined;
  return typeof command === "string" ? command : undefined;
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

async function settle(
  decision: Decision,
  call: ModelCall,
  guarding: Judging,
  signal: AbortSignal,
): Promise<Permission> {
  const { policy, askPerson, approved } = guarding;
  if (decision.verdict === "allow") return { verdict: "allow" };
  const judged = { call: { tool: call.name, input: call.input }, policy };
  if (decision.verdict === "deny") return { verdict: "deny", because: explainToModel(decision, judged) };
  const key = canonicalJson({ name: call.name, input: call.input });
  const canRemember = !guarding.isTainted() && mayRepeat(call, policy);
  if (canRemember && approved.has(key)) return { verdict: "allow" };
  const alone: Permission = {
    verdict: "deny",
    because: `${explainToModel(decision, judged)} Nobody is available to approve it.`,
  };
  if (askPerson === undefined) return alone;
  const because = `${decision.because}.${explainChoices(decision, judged)}`;
  const { machine, home: signalboxHome } = guarding;
  const command = toolKind(call.name) === "shell" ? commandOf(call) : undefined;
  const asked = { call: judgedCall(call, policy), command, policy, machine, signalboxHome };
  const answer = await askPerson({ call, because, canRemember, parts: questionParts(decision, asked) }, signal);
  if (answer === "nobody") return alone;
  const refusal = recordAnswer(answer, decision, call, guarding);
  if (refusal !== undefined) return refusal;
  // A rule that was written counts from the next session on.
  if (answer !== "once" && canRemember) approved.add(key);
  return { verdict: "allow" };
}

/** What a question is made of. What writes rules is loaded when somebody wants one. */
const questionParts = (decision: Decision, asked: AskedCall): QuestionParts => ({
  why: decision.because,
  lends: approvalMeans(decision),
  details: () => explainToPerson(asked.command ?? asked.call.tool, decision, asked),
  rule: async () => (await import("./offered-rule.ts")).offeredRule(asked),
});

function mayRepeat(call: ModelCall, policy: Policy): boolean {
  if (toolKind(call.name) !== "shell") return true;
  const command = commandOf(call);
  return command !== undefined && assessCommand(command, policy, MACHINE).canOfferSessionApproval;
}

/** The person's decision is logged too, and counts only once it is. */
function recordAnswer(
  answer: PermissionAnswer,
  judged: Decision,
  call: ModelCall,
  { policy, record }: Guarding,
): Permission | undefined {
  const instead = typeof answer === "object" ? answer.instead : undefined;
  const kind = typeof answer === "object" ? "reject" : answer;
  const verdict = kind === "reject" ? "deny" : "allow";
  const decision: Decision = { ...judged, verdict, code: `person-${kind}`, rules: ["person"] };
  const recorded = recordDecision(judgedCall(call, policy), policy, { ...record, machine: MACHINE, decision });
  if (instead !== undefined) return { verdict: "deny", because: `the person said no, and: ${instead}` };
  if (answer === "reject") return { verdict: "reject", because: "the person said no" };
  return recorded.verdict === "deny" ? { verdict: "deny", because: recorded.because } : undefined;
}

/** What the model is told in plan mode. */
const NOT_YET =
  "Plan mode: nothing is changed until the user approves the plan. Read what you need, then answer with the plan.";

/** What a sub-agent is told that is not to change anything. */
export const READ_ONLY = "This sub-agent may only look at things, and this call could change something.";

/** While `isOn`, lets only calls through that read. The session's own rules apply to those as well. */
export function readingPermit(
  permit: Permit,
  workspace: string,
  record: Recording,
  { isOn, words = NOT_YET }: { readonly isOn: () => boolean; readonly words?: string },
): Permit {
  let policy: Policy | undefined;
  return async (call, signal) => {
    if (!isOn() || READING_TOOLS.has(call.name)) return await permit(call, signal);
    policy ??= readOnlyPolicy(workspace);
    const judged = { tool: call.name, input: call.input, cwd: workspace };
    // Judged as if there were no sandbox, since the one of the session lets commands write.
    const decision = call.name === "bash" ? decide(judged, policy, realMachine) : denied(call.name, words);
    if (decision.verdict === "allow") return await permit(call, signal);
    const settled = { ...decision, verdict: "deny", code: "plan-mode" } as const;
    const { because } = recordDecision(judged, policy, { ...record, machine: realMachine, decision: settled });
    return { verdict: "deny", because: because === words ? because : `${words} (${because})` };
  };
}

const denied = (tool: string, because: string): Decision => ({
  verdict: "deny",
  code: "plan-mode",
  rules: ["mode:plan"],
  because,
  effects: [],
  findings: [{ verdict: "deny", code: "plan-mode", rule: "mode:plan", because, fragment: tool }],
});

/** Says of the input of a command whether it only reads, as the preset that only reads judges without a sandbox. */
export function readingCommands(workspace: string): (input: unknown) => boolean {
  let policy: Policy | undefined;
  return (input) => {
    policy ??= readOnlyPolicy(workspace);
    return decide({ tool: "bash", input, cwd: workspace }, policy, realMachine).verdict === "allow";
  };
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
