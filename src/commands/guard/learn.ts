import { type Learnt, type Lesson, learn } from "../../guard/allow/learn.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { printable } from "../../lib/text/printable.ts";
import { EXIT } from "../../lib/text/user-error.ts";
import { commandScreen } from "../../guard/screen/screen-command.ts";
import { screen } from "../../guard/screen/screen.ts";
import { chosenPolicy } from "../active-policy.ts";
import type { CommandInput } from "../command-module.ts";
import { printJson, readSince } from "../flags.ts";

/** Shows the rules that would have saved most questions, as a diff of the user's policy. Writes nothing. */
export async function run({ flags }: CommandInput): Promise<number> {
  const home = signalboxHome();
  const { policy } = chosenPolicy(flags);
  const machine = { ...realMachine, screen: commandScreen(screen) };
  const learnt = learn(home, policy, machine, readSince(flags["since"]));
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
