import { dirname, join } from "node:path";
import { type CallContainment, HELD_PARTS } from "../../contract/agent-call.ts";
import { learn, type Learnt, type Lesson } from "../../guard/allow/learn.ts";
import { listSegments } from "../../guard/audit/verify-audit.ts";
import { judge } from "../../guard/judge/judge.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { checkPolicy } from "../../guard/policy/active-policy.ts";
import { compiledFile, writeCompiled } from "../../guard/policy/compiled-policy.ts";
import { atomicWrite } from "../../lib/files/atomic-write.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { printable, printableLine } from "../../lib/text/printable.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { chosenPolicy, readText } from "../active-policy.ts";
import { screenedMachine } from "../screened-machine.ts";
import type { CommandInput } from "../command-module.ts";
import { printJson, readSince } from "../flags.ts";
import { linesOf, type LoggedCall, loggedCall } from "../logged-calls.ts";

/** Reads a policy file, runs its examples, and lists the rules that no command can trigger. */
export async function test({ words }: CommandInput): Promise<number> {
  const path = words[1];
  if (path === undefined) throw new UserError("no policy file given", { fix: "try: signalbox guard test FILE" });
  const { rules, examples, idle } = checkPolicy(readText(path), path);
  for (const { rule, by, kind } of idle) process.stdout.write(`${kind}: ${rule} has no effect because of ${by}\n`);
  process.stdout.write(`${path}: ${rules} rules, ${examples} examples pass, ${idle.length} rules have no effect\n`);
  return idle.length === 0 ? EXIT.ok : EXIT.failed;
}

/** Writes the active policy in the compiled form, which hooks read without a YAML parser. */
export async function compile({ flags }: CommandInput): Promise<number> {
  const active = chosenPolicy(flags);
  const text = writeCompiled(active);
  const out =
    typeof flags["out"] === "string" ? flags["out"] : compiledFile(signalboxHome(), active.policy.workspaceRoot);
  if (out === "-") {
    process.stdout.write(text);
    return EXIT.ok;
  }
  makeFolder(dirname(out));
  // Hooks may be reading it right now.
  atomicWrite(out, text);
  process.stdout.write(
    `${out}: ${active.policy.rules.length} rules from ${active.files.length === 0 ? `the preset ${active.policy.id}` : active.files.map(({ path, trusted }) => `${path}${trusted ? "" : " (not trusted: it only tightens)"}`).join(", ")}\n`,
  );
  return EXIT.ok;
}

/** Judges recorded decisions again under another policy and shows each one that would change. */
export async function replay({ flags }: CommandInput): Promise<number> {
  const { policy } = chosenPolicy(flags);
  const since = readSince(flags["since"]);
  let judged = 0;
  let changed = 0;
  for (const record of recordedCalls(signalboxHome())) {
    if (Date.parse(record.time) < since) continue;
    judged++;
    const { verdict, because } = judge({ tool: record.tool, input: record.input, cwd: record.cwd }, policy, {
      ...realMachine,
      ...containmentOf(record),
    });
    if (verdict === record.verdict) continue;
    changed++;
    process.stdout.write(
      `${record.time}  ${record.verdict} -> ${verdict}  ${printableLine(record.tool)}  ${printableLine(record.call).slice(0, 160)}\n    ${printableLine(because)}\n`,
    );
  }
  process.stdout.write(`${judged} decisions replayed, ${changed} would change\n`);
  return EXIT.ok;
}

/** As it was judged: what could be restored then is not recorded, so that counts as the answer says. */
function containmentOf({ contained, verdict }: LoggedCall): CallContainment {
  return contained ? { contained: HELD_PARTS, recoverable: () => verdict === "allow" } : {};
}

/** Calls whose input was short enough to be recorded in full. Redacted parts stay redacted. */
const recordedCalls = (home: string): Iterable<LoggedCall> =>
  listSegments(home)
    .values()
    .flatMap((segment) => linesOf(join(home, "audit", segment)))
    .flatMap(loggedCall)
    .filter(({ time, tool, cwd, verdict, input }) => input !== undefined && ![time, tool, cwd, verdict].includes(""));

/** Shows the rules that would have saved most questions, as a diff of the user's policy. Writes nothing. */
export async function learnRules({ flags }: CommandInput): Promise<number> {
  const home = signalboxHome();
  const { policy } = chosenPolicy(flags);
  const learnt = learn(home, policy, screenedMachine, readSince(flags["since"]));
  if (flags["json"] === true) printJson(learnt);
  else process.stdout.write(`${printable(text(learnt))}\n`);
  return EXIT.ok;
}

function text({ lessons, held, skipped, log, diff }: Learnt): string {
  const beside = [
    `${skipped.allowed} allowed by now`,
    `${skipped.never} never proposed (floors, denials, sending, deleting, a person's no)`,
    `${skipped.incomplete} not recorded whole`,
  ];
  const damage = [
    ...(log.newer === 0 ? [] : [`${log.newer} segments were written by a newer signalbox; update signalbox`]),
    ...(log.damaged === 0 ? [] : [`${log.damaged} damaged or unfinished segments were read up to the damage`]),
    ...(log.foreign === 0 ? [] : [`${log.foreign} segments of other users were left out`]),
    ...(log.unread === 0 ? [] : [`${log.unread} older segments were not read`]),
  ];
  return [
    `${held} commands were asked about or denied here: ${beside.join(", ")}.`,
    ...damage.map((line) => `${line}; see: signalbox audit verify`),
    ...(lessons.length === 0 ? ["No rule to propose."] : lessons.flatMap(lessonLines)),
    ...(diff === "" ? [] : ["", "All together, as a change of your policy (nothing was written):", "", diff.trimEnd()]),
  ].join("\n");
}

const MAX_SHOWN = 160;

const short = (command: string) => {
  const line = command.replaceAll("\n", "\\n");
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
};

const lessonLines = ({ count, examples, apply }: Lesson): readonly string[] => [
  "",
  `${count} ${count === 1 ? "question" : "questions"}, for example:`,
  ...examples.map((example) => `    ${short(example)}`),
  `  to allow: ${short(apply)}`,
];
