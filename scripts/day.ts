// Judges a working day of 60 commands per language without and with the session's sandbox, and counts the questions.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type DayCommand, DAYS, LineVerdict, readDay } from "../test/support/day-in-the-life.ts";

const USAGE = `usage: npm run day -- [--wrong] [LANGUAGE...]

Judges the commands of test/fixtures/day-in-the-life under the default policy, without and with the sandbox.
--wrong  also list the commands whose contained verdict is not among the accepted ones`;

const SIGNALBOX = join(import.meta.dirname, "../bin/signalbox");

/** The verdict for each line of a day, by id, in a home and a folder without any policy. */
function judgeDay(file: string, contained: "yes" | "no"): ReadonlyMap<string, LineVerdict> {
  const home = mkdtempSync(join(tmpdir(), "signalbox-day-"));
  try {
    const args = ["guard", "judge", "--preset", "default", "--contained", contained];
    const cwd = join(home, "project");
    mkdirSync(cwd);
    const env = { PATH: process.env["PATH"], HOME: home };
    const { status, stdout, stderr } = spawnSync(SIGNALBOX, args, {
      cwd,
      env,
      input: readFileSync(file),
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(stderr);
    const answers = stdout
      .trim()
      .split("\n")
      .map((line) => LineVerdict.parse(JSON.parse(line)));
    return new Map(answers.map((answer) => [answer.id, answer]));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

interface JudgedDay {
  readonly language: string;
  readonly commands: readonly DayCommand[];
  readonly before: ReadonlyMap<string, LineVerdict>;
  readonly after: ReadonlyMap<string, LineVerdict>;
}

const questions = (day: ReadonlyMap<string, LineVerdict>) =>
  [...day.values()].filter(({ verdict }) => verdict !== "allow").length;

const wrongOf = ({ commands, after }: JudgedDay) =>
  commands.filter(({ id, accept }) => !accept.some((verdict) => verdict === after.get(id)?.verdict));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { wrong: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
});
if (values.help) console.log(USAGE);
else {
  const chosen = DAYS.filter(({ language }) => positionals.length === 0 || positionals.includes(language));
  const days = chosen.map(({ language, file }): JudgedDay => ({
    language,
    commands: readDay(file),
    before: judgeDay(file, "no"),
    after: judgeDay(file, "yes"),
  }));
  console.table(
    days.map((day) => ({
      language: day.language,
      commands: day.commands.length,
      "questions before": questions(day.before),
      "questions after": questions(day.after),
      wrong: wrongOf(day).length,
    })),
  );
  const wrong = days.flatMap((day) =>
    wrongOf(day).map(({ id, command }) => ({ id, command, answer: day.after.get(id) })),
  );
  if (values.wrong)
    for (const { id, command, answer } of wrong)
      console.log(`${id}  ${answer?.verdict}: ${command}\n    ${answer?.because}`);
  if (wrong.length > 0) process.exitCode = 1;
}
