import type { AgentCall } from "../../contract/agent-call.ts";
import type { Policy } from "../../contract/policy.ts";
import type { AuditEntry, Decision, Verdict } from "../../contract/verdict.ts";
import { decideAndRecord, type guardParts, recordDecision } from "../../guard/decide-and-record.ts";
import { explainToModel } from "../../guard/explain.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { shQuote } from "../../lib/text/shell-words.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import { openContainedSession } from "../../sandbox/contained-session.ts";
import { type CommandContainment, openCommandContainment, UNCONTAINED } from "../../sandbox/run/contained-commands.ts";
import { openSnapshotSession, type SnapshotSession } from "../../snapshots/open-session.ts";
import type { ShellOutcome, ShellRequest } from "../run/run-parts.ts";

/** A second judge of commands, who can only be stricter. */
export type AlsoJudge = (
  command: string,
  folder: string,
) => { readonly verdict: "deny" | "ask"; readonly because: string } | undefined;

/** Where the commands of a run are, and what may be beside them. */
export interface ContainmentSetting {
  readonly policy: Policy;
  /** The user's signalbox folder. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly runId: string;
  readonly requireSandbox: boolean;
  readonly warn: (text: string) => void;
}

/** What holds for all commands of a run. */
export interface ShellSetting extends ContainmentSetting {
  /** The private folder of the run. */
  readonly folder: string;
  /** A session started the recipe, so nobody chose what it may overwrite. */
  readonly isInSession: boolean;
  readonly alsoJudge: AlsoJudge | undefined;
  /** The user has read the recipe, so what the guard cannot read in a script need not be asked about. */
  readonly isRead: boolean;
  /** Steps that the user lets leave the sandbox. */
  readonly outside: readonly string[];
  /** Asks a person. Undefined when there is none. */
  readonly ask: (step: string, question: string) => Promise<boolean | undefined>;
}

interface Judging extends ReturnType<typeof guardParts> {
  readonly containment: RecipeContainment;
  readonly append: (entry: AuditEntry) => void;
  /** Counts the verdict. */
  readonly note: (verdict: Verdict) => void;
}

type PlacedCommand =
  /** `argv` ends with the command. */
  | { readonly type: "placed"; readonly argv: readonly string[]; readonly inside: boolean }
  | Extract<ShellOutcome, { type: "refused" | "blocked" }>;

/** Judges a command, records the decision, and says where it runs. */
export async function placeCommand(
  command: string,
  request: ShellRequest,
  setting: ShellSetting,
  { containment, append, screen, redact, note }: Judging,
): Promise<PlacedCommand> {
  const { policy } = setting;
  const leaves = request.place !== "inside" || isFlagged(request, setting);
  const call: AgentCall = { tool: "bash", input: { command }, cwd: request.folder };
  const machine = { ...realMachine, screen, ...(leaves ? {} : await containment.judged()) };
  const record = { machine, session: setting.runId, agent: "recipe", append, redact };
  const other = setting.alsoJudge?.(command, request.folder);
  const decision = stricter(decideAndRecord(call, policy, record), other, command);
  note(decision.verdict);
  if (decision.verdict === "deny") return { type: "refused", because: forPerson(decision, call, policy) };
  const passes = mayPass(decision, request, setting, containment.hasSnapshot());
  const isAsked = request.place === "must-leave" || (decision.verdict === "ask" && !passes);
  if (isAsked && request.place !== "may-leave") {
    const answer = await allowedByPerson(decision, request, setting);
    if (answer !== undefined) return answer;
    const allowed: Decision = { ...decision, verdict: "allow", code: "person-once", rules: ["person"] };
    const recorded = recordDecision(call, policy, { ...record, decision: allowed });
    if (recorded.verdict === "deny") return { type: "refused", because: recorded.because };
  }
  try {
    await containment.place(command, leaves ? { ...decision, contained: false } : decision);
    return { type: "placed", ...(await containment.argv(command, [command])) };
  } catch (error) {
    return { type: "refused", because: messageOf(error) };
  }
}

/** The decision, or that of the other judge. */
function stricter(decision: Decision, other: ReturnType<AlsoJudge>, command: string): Decision {
  if (other === undefined || decision.verdict === "deny" || other.verdict === decision.verdict) return decision;
  const finding = { ...other, code: "own-rule", rule: "own-rule", fragment: command.slice(0, 120) };
  return {
    ...decision,
    ...other,
    code: finding.code,
    rules: [finding.rule],
    findings: [...decision.findings, finding],
  };
}

/** What needs no person, although the guard would ask. */
function mayPass(
  decision: Decision,
  request: ShellRequest,
  { isInSession, isRead }: ShellSetting,
  hasSnapshot: boolean,
): boolean {
  if (hasSnapshot && !isInSession && losesOnlyWork(decision)) return true;
  if (request.isOurs === true && hasOnly(OURS, decision)) return true;
  return isRead && decision.contained !== true && hasOnly(READ, decision);
}

/** The explanation for a model, without its advice to a model. */
const forPerson = (decision: Decision, call: AgentCall, policy: Policy) =>
  explainToModel(decision, { call, policy }).replace(/ Do not retry it in another form\.$/, "");

/**
 * The user chose the recipe, and what it may overwrite in the workspace with it; the snapshot has the state before the
 * first step. Everything else that needs approval still does.
 */
function losesOnlyWork({ contained, findings }: Decision): boolean {
  return contained === true && findings.every(({ verdict, code }) => verdict === "allow" || code === "loses-work");
}

/**
 * Without a sandbox, a script that the user has read (`--yes`) need not be proven: every command that is found in it is
 * still judged, and so is what it does with a value that is not known.
 */
const READ: readonly string[] = ["unproven", "value-unknown"];

/** Our own scripts would need approval because they are hard to read. We know what they do. */
const OURS: readonly string[] = [
  ...READ,
  ..."environment no-rule option-unknown option-consequences operand-unknown path-unknown function opaque-code loses-work".split(
    " ",
  ),
];

const hasOnly = (codes: readonly string[], { findings }: Decision): boolean =>
  findings.every(({ verdict, code }) => verdict === "allow" || codes.includes(code));

/** The user named the step with `--outside`. */
const isFlagged = ({ step }: ShellRequest, { outside }: ShellSetting) => outside.includes(step);

/** Undefined when a person allows it, now or with `--outside`. */
async function allowedByPerson(
  decision: Decision,
  request: ShellRequest,
  setting: ShellSetting,
): Promise<PlacedCommand | undefined> {
  if (isFlagged(request, setting)) return undefined;
  const reason = request.place === "must-leave" ? "it leaves the sandbox (contained: false)" : decision.because;
  const answer = await setting.ask(request.step, `${request.step}: ${reason}. Run it?`);
  if (answer === true) return undefined;
  if (answer === false) return { type: "refused", because: `the person said no: ${reason}` };
  const isUnread = request.place === "inside" && decision.contained !== true && hasOnly(READ, decision);
  const flag = isUnread && !setting.isInSession ? "--yes" : `--outside ${shQuote(request.step)}`;
  const fix = `signalbox recipe run --resume ${setting.runId} ${flag}`;
  return { type: "blocked", because: `needs approval: ${reason}. To allow it: ${fix}` };
}

interface RecipeContainment extends CommandContainment {
  /** Whether a snapshot has the workspace as it was before the first command. */
  readonly hasSnapshot: () => boolean;
}

/** Whether nothing may run without a sandbox. */
export const requiresSandbox = ({ requireSandbox, policy: { sandbox } }: ContainmentSetting): boolean =>
  requireSandbox || sandbox === "workspace" || sandbox === "strict";

/**
 * The sandbox of a recipe's commands and the snapshot beside it, both opened by the first command. `readable` is what
 * commands read besides what the policy lets them.
 */
export function openRecipeContainment(setting: ContainmentSetting, readable: readonly string[]): RecipeContainment {
  const { policy, home, environment, runId, warn } = setting;
  const isRequired = requiresSandbox(setting);
  if (policy.sandbox === "off" && !isRequired) return { ...UNCONTAINED, hasSnapshot: () => false };
  let snapshot: SnapshotSession | undefined;
  let isTaken = false;
  const containment = openCommandContainment({
    isRequired,
    warn,
    recoverable: (...asked) => snapshot?.recoverable(...asked),
    async open() {
      snapshot = openSnapshotSession({ home, id: runId, agent: "recipe", workspace: policy.workspaceRoot });
      const session = await openContainedSession({
        policy,
        isRequired,
        caller: { session: runId, agent: "recipe" },
        environment,
        signalboxHome: home,
        extraReadable: readable,
        network: () => policy.network,
        isTainted: () => false,
        warn,
      });
      const taken = await snapshot.ready;
      isTaken = taken.state === "taken";
      if (taken.state === "unknown") warn(`no snapshot (${taken.because}): commands that discard work need approval`);
      return session;
    },
  });
  return {
    ...containment,
    hasSnapshot: () => isTaken,
    async judged() {
      snapshot?.ended("command");
      return await containment.judged();
    },
    async argv(command, bare) {
      snapshot?.began("command");
      return await containment.argv(command, bare);
    },
    async [Symbol.asyncDispose]() {
      await containment[Symbol.asyncDispose]();
      await snapshot?.end();
    },
  };
}
