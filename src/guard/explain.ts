import { printable } from "../lib/printable.ts";
import type { Decision, GuardFinding } from "../contract/verdict.ts";
import { tellingFirst } from "./judge/judge.ts";

const MAX_FRAGMENT = 160;

/** One sentence for the model: what was refused, by which rule, and what would be accepted instead. */
export function explainToModel(decision: Decision): string {
  const { deciding } = split(decision);
  const [first] = deciding;
  if (first === undefined) return decision.because;
  const verb = decision.verdict === "deny" ? "This call is denied" : "This call needs the user's consent";
  const where = first.fragment === "" ? "" : ` at \`${fragment(first.fragment)}\``;
  const instead = first.instead ?? INSTEAD[first.code];
  const others =
    deciding.length > 1
      ? ` ${deciding.length - 1} more ${deciding.length === 2 ? "reason stands" : "reasons stand"} beside it.`
      : "";
  return `${verb} by ${first.rule}${where}: ${printable(first.because)}.${others}${instead === undefined ? "" : ` ${capital(instead)}.`} Do not try it again in another form.`;
}

/** The whole decision for a person: what it runs and touches, what is fine and what is not, and what an "always" would cover. */
export function explainToPerson(source: string, decision: Decision): string {
  const { deciding, others } = split(decision);
  const objected = decision.findings.filter(({ verdict }) => verdict !== "allow");
  const allowed = decision.findings.filter(
    ({ verdict, code, fragment: about }) =>
      verdict === "allow" && code !== "shell-itself" && !objected.some((finding) => about.includes(finding.fragment)),
  );
  const lines = [
    `${decision.verdict.toUpperCase()}  ${printable(source).replaceAll("\n", "\n      ")}`,
    ...section(
      "It would",
      decision.effects.map(({ kind, target }) => `${kind.padEnd(9)}${fragment(target)}`),
    ),
    ...section("Nothing speaks against", allowed.map(line)),
    ...(decision.verdict === "allow" ? [] : section(HEADINGS[decision.verdict], deciding.map(line))),
    ...section("Beside that", others.filter(({ verdict }) => verdict !== "allow").map(line)),
    ...advice(decision, deciding[0]),
  ];
  return `${lines.join("\n")}\n`;
}

const HEADINGS = { ask: "A person must look, because", deny: "It may not happen, because" } as const;

function advice({ verdict }: Decision, first: GuardFinding | undefined): readonly string[] {
  if (first === undefined || verdict === "allow") return [];
  const instead = first.instead ?? INSTEAD[first.code];
  return [
    ...(instead === undefined ? [] : ["", `Instead: ${instead}.`]),
    ...(verdict === "ask" ? ['An "always" would cover exactly this command, word for word.'] : []),
  ];
}

const INSTEAD: Readonly<Record<string, string>> = {
  unproven: "write the command with literal words, one step at a time",
  "value-unknown": "write the value itself instead of the variable",
  "path-unknown": "write the path itself",
  "program-unknown": "write the program's name itself",
  "operand-unknown": "write the words themselves, or put a value that cannot be an option behind --",
  "opaque-code": "put the code in a file of the workspace and run that, so that it can be read first",
  environment: "run the command without the variable",
  "option-consequences": "leave the option away",
  "option-unknown": "use the usual options of the program",
  "network-none": "work with what is on this machine",
  "network-unlisted": "add the host to network.allow in the policy, if it is needed",
  "path-denied-read": "read a file without secrets, such as .env.example",
  "path-denied-write": "leave this file to the person",
  "path-denied-delete": "leave this file to the person",
  "no-rule": "use a command that the policy knows, or ask the person",
  "rule-deny": "do the work without this program",
  syntax: "write the command so that a shell can read it",
  "runs-program": "run that program by itself, so that it can be judged",
  "secret-environment": "read the one setting that is needed from a file",
  subcommand: "add a rule for this sub-command to ~/.signalbox/policy.yaml, if it is needed",
  "throws-away": "keep the changes with git stash first",
  "moves-out": "copy the files, or keep them inside the workspace",
  "git-repository": "start the agent in that repository, if work is to be done there",
  "git-rewrites": "add a commit instead",
  "sends-unknown": "write the words that are sent",
  "argument-file": "write the options on the command line",
  "foreign-code": "fetch it, and let the person merge it",
  "path-instructions": "propose the change to the person",
  "path-special": "use a regular file",
  "path-mount": "write outside the mounted folder",
};

function split({ findings, verdict, code }: Decision): {
  readonly deciding: readonly GuardFinding[];
  readonly others: readonly GuardFinding[];
} {
  const decisive = findings.find((finding) => finding.code === code)?.verdict ?? verdict;
  return {
    deciding: tellingFirst(findings.filter((finding) => finding.verdict === decisive)),
    others: findings.filter((finding) => finding.verdict !== decisive),
  };
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", title, ...new Set(lines.map((text) => `  ${text}`))];
}

function line({ because, fragment: about, rule }: GuardFinding): string {
  return `${about === "" ? "" : `${fragment(about)}: `}${printable(because)}  [${rule}]`;
}

function fragment(text: string): string {
  const shown = printable(text).replaceAll("\n", "\\n");
  return shown.length > MAX_FRAGMENT ? `${shown.slice(0, MAX_FRAGMENT)}…` : shown;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
