import type { AgentCall } from "../../contract/agent-call.ts";
import type { Policy } from "../../contract/policy.ts";
import type { Decision, GuardFinding, IgnoredNotice } from "../../contract/verdict.ts";
import { printable, printableLine } from "../../lib/printable.ts";
import { shQuote } from "../../lib/sh-quote.ts";
import { approvalMeans } from "../contain/explain-needs.ts";
import { ON_ITS_OWN } from "../contain/leaves-alone.ts";
import { commandOf } from "../judge/command-of.ts";
import { toolKind } from "../judge/tool-kind.ts";
import { liftedBy, objectionsOf } from "./allowable.ts";
import { hostCommand } from "./open-host.ts";

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
  return host === undefined ? `signalbox guard allow ${commandWord(command)}` : `${hostCommand(host)} (for every command)`;
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
