import type { AgentCall, Need } from "../../contract/agent-call.ts";
import type { Policy } from "../../contract/policy.ts";
import type { Decision, GuardFinding, IgnoredNotice } from "../../contract/verdict.ts";
import { printable, printableLine } from "../../lib/text/printable.ts";
import { shQuote, splitWords } from "../../lib/text/shell-words.ts";
import { ON_ITS_OWN } from "../judge/findings.ts";
import { commandOf, toolKind } from "../judge/tool-call.ts";

/** Longer commands are named by `last`, because nobody reads or retypes them. */
const MAX_COMMAND = 160;

/** The one command that would stop a question, or undefined when no rule can answer it. */
export function offerOf(call: AgentCall, decision: Decision, policy: Policy): string | undefined {
  if (decision.verdict === "allow" || toolKind(call.tool) !== "shell") return undefined;
  if (decision.ignored?.allows === true) return "signalbox trust";
  const command = commandOf(call.input);
  const objections = objectionsOf(decision);
  if (command === undefined || !objections.every((finding) => liftedBy(finding, policy) !== undefined))
    return undefined;
  const host = notLentAlone(decision);
  return host === undefined
    ? `signalbox guard allow ${commandWord(command)}`
    : `${hostCommand(host)} (for every command)`;
}

/** The host that only the sandbox's other commands in the line keep from being lent by a rule. */
function notLentAlone(decision: Decision): string | undefined {
  const objections = objectionsOf(decision);
  const [first] = objections;
  if (first?.command === undefined || !objections.every(({ need }) => need?.kind === "host")) return undefined;
  const isOther = ({ heldBy = [], fragment }: GuardFinding) => heldBy.length > 0 && fragment !== first.command;
  return first.instead === ON_ITS_OWN || decision.findings.some(isOther) ? first.need?.target : undefined;
}

/** A command as one word for a shell, or `last` when it is too long or contains something that cannot be shown. */
export function commandWord(command: string): string {
  const plain = command.length <= MAX_COMMAND && !command.includes("\n") && printable(command) === command;
  if (!plain) return "last";
  return command.startsWith("-") || command === "last" ? `-- ${shQuote(command)}` : shQuote(command);
}

/** For people and models: which file is ignored, and the command that trusts it. */
export function ignoredLine({ file, changed, allows }: IgnoredNotice): string {
  const shown = printableLine(file);
  const why = changed ? "it has changed since you trusted it" : "it is not trusted";
  return `${shown} would ${allows ? "allow this" : "answer part of this"}, but it is ignored because ${why}. To review and trust it: signalbox trust`;
}

/** The end of a question: what a yes means, and what the person could do instead of being asked again. */
export function afterQuestion(decision: Decision, offer: string | undefined): string {
  const { ignored } = decision;
  const means = approvalMeans(decision);
  const yes = means.length === 0 ? "" : ` A yes would ${means.join(" and ")}.`;
  if (ignored?.allows === true) return `${yes} ${ignoredLine(ignored)}`;
  const trust = ignored === undefined ? "" : ` ${ignoredLine(ignored)}.`;
  return offer === undefined ? `${yes}${trust}` : `${yes}${trust} To stop being asked: ${offer}`;
}

/** For the person who is asked: what approving the command would mean, one line each. */
export function approvalMeans({ needs = [], contained, because }: Decision): readonly string[] {
  if (contained === undefined) return [];
  const outside = needs.filter(({ kind }) => kind === "outside");
  // The question has already given the first reason.
  const more = outside.map(shown).filter((reason) => reason !== printableLine(because));
  if (outside.length > 0)
    return [`run it outside the sandbox${more.length === 0 ? "" : `, because it also ${more.join(" and ")}`}`];
  return needs.length === 0 ? ["run it inside the sandbox"] : needs.map((need) => `${loan(need)}, inside the sandbox`);
}

const shown = ({ because }: Need) => printableLine(because);

function loan({ kind, target, access }: Need): string {
  const name = printableLine(target);
  if (kind === "host") return `let this one command reach ${name}`;
  if (kind === "variable") return `give this one command the variable ${name}`;
  return `let this one command ${access === "read" ? "read" : "change"} ${name}`;
}

/** The line of a policy that would allow what a command needs. */
export function policyLine({ kind, target, access }: Need, fragment: string): string {
  const name = JSON.stringify(printable(target));
  switch (kind) {
    case "host":
      return `add ${name.replace(/:443"$/, '"')} to network.allow, which opens it to every command,`;
    case "path":
      return `add ${name} to paths.${access === "read" ? "read_roots" : "write_roots"}, for every command,`;
    case "variable":
      return `add ${name} to env.pass, for every command,`;
    case "outside": {
      const words = /^[\w./:@=,+ '"-]+$/.test(fragment) ? splitWords(fragment) : undefined;
      return words === undefined
        ? "add an exact rule for this command with `verdict: allow` and `contained: false`"
        : `add the rule { id: outside, argv: ${JSON.stringify(words)}, exact: true, verdict: allow, contained: false }`;
    }
  }
}

/** Which parts of the sandbox make an objection needless. */
export function heldLine({ because, fragment, heldBy = [] }: GuardFinding): string {
  const about = fragment === "" ? "" : `${printableLine(fragment).slice(0, 160)}: `;
  return `${about}${printableLine(because)}  [${heldBy.length === 0 ? "can be restored" : heldBy.join(", ")}]`;
}

/**
 * Questions about a command that an exact rule of the user's own answers. All others stay: floors, denials, injected
 * text, and what is only known at run time.
 */
const ANSWERED_BY_RULE = new Set([
  "no-rule",
  "network-implied",
  "foreign-code",
  "git-overwrites",
  "git-rewrites",
  "installs",
  "make-variable",
  "moves-out",
  "option-unknown",
  "subcommand",
  "throws-away",
]);

/** How a policy file could lift an objection: by a rule for the command, or by listing a host or a path. */
export function liftedBy(finding: GuardFinding, policy: Policy): "rule" | "list" | undefined {
  if (grantOf(finding) !== undefined) return "list";
  // A rule takes the command out of the sandbox.
  if (finding.need?.kind === "outside" && finding.verdict === "ask") return "rule";
  if (ANSWERED_BY_RULE.has(finding.code)) return "rule";
  if (finding.code !== "rule-ask") return undefined;
  return policy.rules.some(({ id, source, verdict }) => id === finding.rule && source === "preset" && verdict === "ask")
    ? "rule"
    : undefined;
}

export const objectionsOf = ({ findings }: Decision): readonly GuardFinding[] =>
  findings.filter(({ verdict }) => verdict !== "allow");

/** What a policy would have to list to lift a finding: `HOST:PORT`, a variable, or a path that is read or written. */
export interface Grant {
  readonly kind: "host" | "variable" | "read" | "write";
  readonly target: string;
}

/** True where lifting a finding opens something to every command. A host is lent to the one command that needs it. */
export function opensToAll(finding: GuardFinding): boolean {
  const grant = grantOf(finding);
  return grant !== undefined && (grant.kind !== "host" || finding.command === undefined);
}

/** Undefined where no list of the policy could lift it. */
export function grantOf({ need }: GuardFinding): Grant | undefined {
  if (need?.kind === "host" || need?.kind === "variable") return { kind: need.kind, target: need.target };
  return need?.kind === "path" ? { kind: need.access ?? "write", target: need.target } : undefined;
}

/** The command that opens a host to every command. Its usual port needs no mention. */
export const hostCommand = (target: string): string => `signalbox guard allow --host ${target.replace(/:443$/, "")}`;
