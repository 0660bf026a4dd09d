import { printable } from "../lib/printable.ts";
import type { Decision, GuardFinding } from "../contract/verdict.ts";
import { mostInformativeFirst } from "./judge/judge.ts";

const MAX_FRAGMENT = 160;

/** For the model: what was blocked, why, by which rule, and what would be accepted instead. */
export function explainToModel(decision: Decision): string {
  const { deciding } = split(decision);
  const [first] = deciding;
  if (first === undefined) return decision.because;
  const verb = decision.verdict === "deny" ? "Blocked" : "Needs approval:";
  const what = first.fragment === "" ? "this call" : `\`${fragment(first.fragment)}\``;
  const instead = first.instead ?? INSTEAD[first.code];
  const more = deciding.length - 1;
  const others = more === 0 ? "" : `, and ${more} more ${more === 1 ? "reason" : "reasons"}`;
  return `${verb} ${what}: ${printable(first.because)} (rule ${first.rule}${others}).${instead === undefined ? "" : ` Instead: ${instead}.`} Do not retry it in another form.`;
}

/**
 * The whole decision for a person: what it runs and touches, what is fine, what is not, and what "always" would cover.
 */
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
    ...section("Allowed because", allowed.map(line)),
    ...(decision.verdict === "allow" ? [] : section(HEADINGS[decision.verdict], deciding.map(line))),
    ...section("Also", others.filter(({ verdict }) => verdict !== "allow").map(line)),
    ...advice(decision, deciding[0]),
  ];
  return `${lines.join("\n")}\n`;
}

const HEADINGS = { ask: "Needs approval because", deny: "Blocked because" } as const;

function advice({ verdict }: Decision, first: GuardFinding | undefined): readonly string[] {
  if (first === undefined || verdict === "allow") return [];
  const instead = first.instead ?? INSTEAD[first.code];
  return [
    ...(instead === undefined ? [] : ["", `The agent is told: ${instead}.`]),
    ...(first.code === "no-rule" ? ["To allow it, add a rule to ~/.signalbox/policy.yaml (docs/guard.md)."] : []),
    ...(verdict === "ask" ? ['"Always" would allow exactly this command, word for word.'] : []),
  ];
}

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
  "network-unlisted": "if it is needed, add the host to network.allow in the policy",
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
  "moves-out": "copy the files, or keep them inside the workspace",
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
  return `${about === "" ? "" : `${fragment(about)}: `}${printable(because)}  [${rule}]`;
}

function fragment(text: string): string {
  const shown = printable(text).replaceAll("\n", "\\n");
  return shown.length > MAX_FRAGMENT ? `${shown.slice(0, MAX_FRAGMENT)}…` : shown;
}
