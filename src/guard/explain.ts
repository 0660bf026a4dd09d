import { printable, printableLine } from "../lib/text/printable.ts";
import type { AgentCall } from "../contract/agent-call.ts";
import type { Policy } from "../contract/policy.ts";
import type { Decision, GuardFinding } from "../contract/verdict.ts";
import { afterQuestion, approvalMeans, heldLine, ignoredLine, offerOf, opensToAll, policyLine } from "./allow/offer.ts";
import { mostInformativeFirst, ON_ITS_OWN } from "./judge/findings.ts";

const MAX_FRAGMENT = 160;

/** What was judged. Without it, no command is offered with which the user could allow the call. */
interface Judged {
  readonly call: AgentCall;
  readonly policy: Policy;
  /** What an allowed command would fail at. */
  readonly fails?: readonly string[] | undefined;
}

const offerFor = (decision: Decision, judged: Judged | undefined) =>
  judged && offerOf(judged.call, decision, judged.policy);

/** For the model: what was blocked, why, by which rule, what would be accepted instead, and how the user could allow it. */
export function explainToModel(decision: Decision, judged?: Judged): string {
  const { deciding } = split(decision);
  const [first] = deciding;
  if (first === undefined) return decision.because;
  const verb = decision.verdict === "deny" ? "Blocked" : "Needs approval:";
  const what = first.fragment === "" ? "this call" : `\`${fragment(first.fragment)}\``;
  const instead = insteadOf(decision, first);
  const offer = offerFor(decision, judged);
  const lift = decision.verdict === "deny" && offer === undefined ? liftLine(decision, first) : "";
  const more = deciding.length - 1;
  const others = more === 0 ? "" : `, and ${more} more ${more === 1 ? "reason" : "reasons"}`;
  return `${verb} ${what}: ${printableLine(first.because)} (rule ${first.rule}${others}).${instead === undefined ? "" : ` Instead: ${instead}.`}${lift}${forTheUser(decision, offer)} Do not retry it in another form.`;
}

/**
 * A text of `explainToModel` for a person: without the advice to the model, and with what the person can do. Other
 * texts stay as they are.
 */
export function denialForPerson(text: string): string {
  return text
    .trim()
    .replace(/^not allowed: /, "")
    .replace(/ Instead: .*?\.(?= (?:To allow it,|For the user:|The user can|Do not retry)|$)/s, "")
    .replace(/ Do not retry it in another form\.(?=\s|$)/, "")
    .replace(" To allow it, the user can ", " To allow it, ")
    .replace(/ The user can allow it with: (.*?)\.((?: Nobody [^.]*\.)?)$/s, "$2 To allow it: $1")
    .replace(" For the user: ", " ");
}

/** Without a person to ask: the line of the policy that would allow what a contained command needs. */
function liftLine({ contained }: Decision, { need, instead, fragment: about }: GuardFinding): string {
  if (contained === undefined || need === undefined || instead === ON_ITS_OWN) return "";
  return ` To allow it, the user can ${policyLine(need, about)} in ~/.signalbox/policy.yaml.`;
}

/** What only the user can do about it. */
function forTheUser({ ignored }: Decision, offer: string | undefined): string {
  if (ignored !== undefined) return ` For the user: ${ignoredLine(ignored)}.`;
  return offer === undefined ? "" : ` The user can allow it with: ${offer}.`;
}

/**
 * The whole decision for a person: what it runs and touches, what is fine, what is not, and the command that would
 * allow it.
 */
export function explainToPerson(source: string, decision: Decision, judged?: Judged): string {
  const { deciding, others } = split(decision);
  const objected = decision.findings.filter(({ verdict }) => verdict !== "allow");
  const allowed = decision.findings.filter(
    ({ verdict, code, fragment: about }) =>
      verdict === "allow" && code !== "shell-itself" && !objected.some((finding) => about.includes(finding.fragment)),
  );
  const held = allowed.filter(({ heldBy }) => heldBy !== undefined);
  const lines = [
    `${decision.verdict.toUpperCase()}  ${printable(source).replaceAll("\n", "\n      ")}`,
    ...section("It would fail in the sandbox", judged?.fails ?? []),
    ...section(
      "It would",
      decision.effects.map(({ kind, target }) => `${kind.padEnd(9)}${fragment(target)}`),
    ),
    ...section("Allowed because", allowed.filter(({ heldBy }) => heldBy === undefined).map(line)),
    ...section("Held by the sandbox", held.map(heldLine)),
    ...(decision.verdict === "allow" ? [] : section(HEADINGS[decision.verdict], deciding.map(line))),
    ...section("Also", others.filter(({ verdict }) => verdict !== "allow").map(line)),
    ...section("A yes would", decision.verdict === "ask" ? approvalMeans(decision) : []),
    ...place(decision),
    ...advice(decision, deciding[0], offerFor(decision, judged)),
  ];
  return `${lines.join("\n")}\n`;
}

/** The end of a question: what the person could do instead of being asked again. */
export function explainChoices(decision: Decision, judged?: Judged): string {
  return afterQuestion(decision, offerFor(decision, judged));
}

/** Where an allowed command runs, if there is a sandbox. */
function place({ verdict, contained }: Decision): readonly string[] {
  if (verdict !== "allow" || contained === undefined) return [];
  return ["", contained ? "It runs inside the session's sandbox." : "It runs outside the sandbox, by a rule."];
}

const HEADINGS = { ask: "Needs approval because", deny: "Blocked because" } as const;

function advice(decision: Decision, first: GuardFinding | undefined, offer: string | undefined): readonly string[] {
  const { verdict, ignored } = decision;
  if (first === undefined || verdict === "allow") return [];
  const lift = offer === undefined ? liftLine(decision, first) : "";
  const instead = insteadOf(decision, first);
  return [
    ...(instead === undefined ? [] : ["", `The agent is told: ${instead}.`]),
    ...(lift === "" ? [] : ["", lift.trim()]),
    ...(ignored === undefined ? [] : ["", `${ignoredLine(ignored)}`]),
    ...(offer === undefined || ignored?.allows === true ? [] : ["", `To allow ${isExact(decision, offer)}: ${offer}`]),
  ];
}

/** A path or a variable is opened to every command; a rule, and what it lends, is for one. */
const isExact = ({ findings }: Decision, offer: string) =>
  offer.includes(" --host ") || findings.some((finding) => finding.verdict !== "allow" && opensToAll(finding))
    ? "it"
    : "exactly this command";

/** What would be accepted instead. A shell that would run what it gets from the network is a case of its own. */
function insteadOf({ findings, effects }: Decision, first: GuardFinding): string | undefined {
  const isAbout = first.code.startsWith("network-") || first.code === "opaque-code";
  const runsStream = findings.some(({ rule, because }) => rule === "effect:opaque-code" && STREAM.test(because));
  if (isAbout && runsStream && effects.some(({ kind }) => kind === "network"))
    return "download it to a file, read it, then run that file";
  return first.instead ?? INSTEAD[first.code];
}

const STREAM = /standard input|only known at run time/;

const INSTEAD: Readonly<Record<string, string>> = {
  unproven: "write the command with literal words, one step at a time",
  "value-unknown": "write the value instead of the variable",
  "path-unknown": "write the path literally",
  "program-unknown": "write the program's name literally",
  "operand-unknown": "write the words literally, or put the value after --",
  "opaque-code": "put the code in a workspace file and run that file, so it can be reviewed first",
  environment: "run the command without the variable",
  "option-consequences": "omit the option",
  "option-unknown": "use the program's common options",
  "network-none": "use what is already on this machine",
  "network-unlisted": "do without this host, or let the user allow the call",
  "path-denied-read": "read a file without secrets, such as .env.example",
  "path-denied-write": "leave this file to the user",
  "path-denied-delete": "leave this file to the user",
  "no-rule": "use a command that the policy covers, or ask the user",
  "rule-deny": "find a way without this program",
  syntax: "fix the shell syntax",
  "runs-program": "run that program directly, so it can be checked",
  "secret-environment": "read the one setting you need from a file",
  subcommand: "if it is needed, add a rule for this subcommand to ~/.signalbox/policy.yaml",
  "throws-away": "save the changes with git stash first",
  "git-overwrites": "save the changes with git stash first",
  "moves-out": "copy the files, or keep them inside the workspace",
  "git-restores": "leave the protected files out with a pathspec such as ':!.github', or let the user run it",
  "git-repository": "to work there, start the agent in that repository",
  "git-rewrites": "add a commit instead",
  "sends-unknown": "write the words to send literally",
  "argument-file": "write the options on the command line",
  "foreign-code": "fetch it, and let the user merge it",
  "path-instructions": "propose the change to the user",
  "path-special": "use a regular file",
  "path-mount": "write outside the mounted folder",
};

function split({ findings, verdict, code }: Decision): {
  readonly deciding: readonly GuardFinding[];
  readonly others: readonly GuardFinding[];
} {
  const decisive = findings.find((finding) => finding.code === code)?.verdict ?? verdict;
  return {
    deciding: mostInformativeFirst(findings.filter((finding) => finding.verdict === decisive)),
    others: findings.filter((finding) => finding.verdict !== decisive),
  };
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", title, ...new Set(lines.map((text) => `  ${text}`))];
}

function line({ because, fragment: about, rule }: GuardFinding): string {
  return `${about === "" ? "" : `${fragment(about)}: `}${printableLine(because)}  [${rule}]`;
}

function fragment(text: string): string {
  const shown = printableLine(text);
  return shown.length > MAX_FRAGMENT ? `${shown.slice(0, MAX_FRAGMENT)}…` : shown;
}
