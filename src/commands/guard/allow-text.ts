import { printable, printableLine } from "../../lib/printable.ts";
import { hostCommand } from "../../guard/allow/open-host.ts";
import type { AllowedAddition } from "../../guard/allow/plan-allow.ts";
import type { Decision } from "../../contract/verdict.ts";

const MAX_SHOWN = 400;

const short = (command: string) => {
  const text = printableLine(command);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
};

export function alreadyText(command: string, { because, rules }: Decision, judgedAs: string): string {
  return `Already allowed: ${short(command)}\n  ${printableLine(because)} (rule ${rules.join(", ")})\nJudged ${judgedAs}\nNothing was written.\n`;
}

export function refusalText(command: string, { verdict }: Decision, because: string): string {
  return `Cannot be allowed: ${short(command)}\n  ${printableLine(because)}.\nNothing was written; it stays ${verdict === "deny" ? "denied" : "a question"}. Details: signalbox guard explain\n`;
}

const MAX_LISTED = 6;

export interface Proposed {
  readonly plan: AllowedAddition;
  /** The command, or the host. */
  readonly wanted: string;
  readonly repository: boolean;
  /** For which sessions it was judged. */
  readonly judgedAs: string;
}

/** What would be written, where, what it opens, and what else it would allow. */
export function proposalText({ plan, wanted, repository, judgedAs }: Proposed): string {
  const { file, addition, diff, reach } = plan;
  const where = repository ? "this repository" : "every workspace of yours";
  const lines = [
    `To allow: ${short(wanted)}`,
    `This would be added to ${printable(file)}${plan.isNew ? " (a new file)" : ""}:`,
    "",
    printable(diff).trimEnd(),
    "",
    ...oddLetters(addition),
    ...opens(addition, where),
    ...list("It would also allow", reach.alsoAllows),
    ...list("It would not allow", reach.stillNot),
    repository
      ? "It holds for everyone who trusts this repository's policy. You have to trust it again: signalbox trust"
      : "It holds in every workspace of yours. For this one alone: add --repository",
    ...addition.rules
      .flatMap(({ hosts = [] }) => hosts)
      .map((host) => `To open ${host} to every command: ${hostCommand(host)}`),
    `The examples were judged ${judgedAs}`,
  ];
  return `${lines.join("\n")}\n`;
}

export function writtenText(at: {
  readonly file: string;
  readonly repository: boolean;
  readonly verdict: string;
}): string {
  const done = `Written to ${printable(at.file)}.`;
  if (at.verdict === "allow") return `${done} Judged again: ALLOW\n`;
  if (at.repository)
    return `${done} Judged again: ${at.verdict.toUpperCase()}, because the file is not trusted yet. To trust it: signalbox trust\n`;
  return `${done} Judged again: ${at.verdict.toUpperCase()}. Another file changed meanwhile; run it again.\n`;
}

function list(title: string, commands: readonly string[]): readonly string[] {
  if (commands.length === 0) return [];
  return [`${title}:`, ...commands.slice(0, MAX_LISTED).map((command) => `  ${short(command)}`), ""];
}

/** What it gives, and to whom; what is in a list of the policy is for other commands too. */
function opens({ rules, hosts, readRoots, writeRoots, variables }: AllowedAddition["addition"], where: string) {
  const all = `to every command in ${where}`;
  const root = (roots: readonly string[]) => roots.slice(-1).map(printableLine);
  const lines = [
    ...hosts.map(
      (host) =>
        `${host} ${all}, at a private address too; what it accepts can be sent there, files of the workspace too`,
    ),
    ...root(readRoots).map((path) => `${path} ${all}, for reading`),
    ...root(writeRoots).map((path) => `${path} ${all}, for writing`),
    ...variables.map((name) => `the variable ${name} ${all}`),
    ...rules.flatMap(({ hosts: lent = [] }) => lent).map((host) => `${host} to this command alone`),
    ...(rules.some(({ contained }) => contained === false)
      ? ["this machine to this command, which runs outside the sandbox"]
      : []),
  ];
  return lines.length === 0 ? [] : ["It opens:", ...lines.map((line) => `  ${line}`), ""];
}

/** Letters that look like ASCII ones make another command. */
function oddLetters({ rules, hosts, readRoots, writeRoots }: AllowedAddition["addition"]): readonly string[] {
  const texts = [...rules.flatMap(({ argv }) => argv), ...hosts, ...readRoots, ...writeRoots].join("");
  const odd = [...new Set(texts)].filter((character) => character > "\u007e").slice(0, 10);
  if (odd.length === 0) return [];
  const names = odd.map(
    (character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`,
  );
  return [`Note: it contains letters outside ASCII, which may look like others: ${names.join(", ")}`, ""];
}
