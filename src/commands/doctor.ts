import { styleText } from "node:util";
import type { Command } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { calledAs } from "../lib/path/package-folder.ts";
import { signalboxHome } from "../lib/path/home-folder.ts";
import { currentFolder } from "../lib/path/workspace.ts";
import { isInsideSession } from "../lib/process/inside-session.ts";
import { say } from "../lib/process/standard-streams.ts";
import { timerLine } from "../lib/process/timer-line.ts";
import { printable, shortLine } from "../lib/text/printable.ts";
import { EXIT } from "../lib/text/user-error.ts";
import { wrapLines } from "../lib/text/wrap-lines.ts";
import { type CheckResult, warnings } from "../proof/doctor/check.ts";
import { type Examination, examine } from "../proof/doctor/examine.ts";
import { deliveryLines } from "../proof/doctor/prompt-delivery.ts";
import { endLeftCommands } from "../sandbox/run/left-commands.ts";
import type { CommandModule } from "./command-module.ts";
import { printJson } from "./flags.ts";

const COLOURS = { ok: "green", warn: "yellow", fail: "red", absent: "dim" } as const;

export const paint = (status: CheckResult["status"], text: string) =>
  styleText(COLOURS[status], text, { stream: process.stdout });

const INDENT = 25;

const LABEL = 15;

/** Commands are not wrapped, so that they can be copied; a long one takes several rows. */
const rowsOf = (lines: readonly string[], { width = Infinity }: Terminal) =>
  lines.reduce((rows, { length }) => rows + Math.max(1, Math.ceil(length / width)), 0);

const withStatus = (checks: readonly CheckResult[], status: CheckResult["status"]) =>
  checks.filter((check) => check.status === status);

export const command: CommandModule = {
  configure(command: Command) {
    command
      .option("--verbose", "show every check, and how prompts are passed to agents")
      .option("--json", "print {ok, canStart, next, checks, promptDelivery}")
      .addHelpText(
        "after",
        "\nExits with 1 when a check fails.\n\nExamples:\n  signalbox doctor\n  signalbox doctor --verbose",
      );
  },

  async run({ flags }) {
    if (!isInsideSession(process.env)) await endLeftCommands(signalboxHome(), say);
    const cwd = currentFolder();
    using line = timerLine("checking this machine");
    line.start();
    const examination = await examine(cwd, process.env, manifest.version);
    line.stop();
    if (flags["json"] === true) printJson(examination);
    else {
      const { isTTY, columns, rows } = process.stdout;
      const size = isTTY ? { width: columns, rows } : {};
      const as = calledAs(process.env, cwd);
      process.stdout.write(doctorScreen(examination, { ...size, paint, as }));
      if (flags["verbose"] === true) {
        const lines = [
          ...examination.checks.flatMap((check) => checkLines(check, { width: size.width, paint })),
          "",
          ...deliveryLines(examination.promptDelivery),
        ];
        process.stdout.write(`\n${lines.join("\n")}\n`);
      }
    }
    return examination.ok ? EXIT.ok : EXIT.failed;
  },
};

/** A terminal to fit on; without a size nothing is wrapped or left out. */
interface Terminal {
  readonly width?: number | undefined;
  readonly rows?: number | undefined;
  readonly paint: (status: CheckResult["status"], text: string) => string;
}

interface DoctorScreen extends Terminal {
  /** How the user can start signalbox. */
  readonly as: string;
}

/** What one can start, what to do next, and the checks that need attention. Fits on a screen if its size is given. */
export function doctorScreen(examination: Examination, screen: DoctorScreen): string {
  const { checks } = examination;
  const count = (status: CheckResult["status"]) => checks.filter((check) => check.status === status).length;
  const top = [...startLines(examination, screen), "", ...nextLines(examination, screen)];
  const problems = [...withStatus(checks, "fail"), ...warnings(checks)].map((check) =>
    check.fix === undefined
      ? check
      : { ...check, fix: check.fix.replace(/^run: signalbox /, () => `run: ${screen.as} `) },
  );
  const failed =
    count("fail") === 0 ? "No check failed" : `${count("fail")} check${count("fail") === 1 ? "" : "s"} failed`;
  const last = `${failed}. ${count("ok")} are fine. All of them: ${screen.as} doctor --verbose`;
  const end = screen.width === undefined ? [last] : wrapLines(last, screen.width);
  // The shell's prompt needs the last row.
  const room = screen.rows === undefined ? Infinity : screen.rows - rowsOf(top, screen) - end.length - 3;
  const shown = fitting(problems, room, screen);
  return `${[...top, "", ...shown, ...(shown.length === 0 ? [] : [""]), ...end].join("\n")}\n`;
}

export function startLines({ canStart, checks }: Examination, { width }: Terminal): readonly string[] {
  const about = (name: string) => checks.find(({ id }) => id === `agent.${name}`);
  // Some programs print their name with it, or end it with a full stop.
  const version = (name: string) => /\d+(?:\.\d+)+(?:[-+][\w.]*\w)?/.exec(String(about(name)?.facts?.["version"]))?.[0];
  const missing = withStatus(checks, "absent").filter(({ id }) => id.startsWith("agent."));
  const sandbox = checks.find(({ id }) => id === "sandbox");
  const rows: readonly (readonly [string, string])[] = [
    [
      "You can start",
      canStart.length === 0
        ? "no agent yet"
        : canStart.map((name) => [name, version(name)].filter(Boolean).join(" ")).join(", "),
    ],
    ["Not set up", missing.map(({ id }) => id.slice("agent.".length)).join(", ")],
    ["Contained", contained(sandbox)],
  ];
  return rows.flatMap(([label, text]) => (text === "" ? [] : labelled(label, text, width)));
}

function contained(sandbox: CheckResult | undefined): string {
  const isSome = sandbox?.status === "ok" || sandbox?.summary.startsWith("contained: partly") === true;
  if (sandbox !== undefined && isSome) return sandbox.summary.replace(/^contained: /, "");
  return sandbox?.status === "absent" ? sandbox.summary : "no (see sandbox)";
}

function labelled(label: string, text: string, width: number | undefined): readonly string[] {
  const safe = printable(text).replaceAll("\n", "\\n");
  const lines = width === undefined ? [safe] : wrapLines(safe, Math.max(20, width - LABEL));
  return lines.map((line, at) => `${(at === 0 ? label : "").padEnd(LABEL)}${line}`);
}

/** A command that leaves no room for its description stands alone. */
export function nextLines(examination: Examination, { as, width = 80 }: DoctorScreen): readonly string[] {
  const next = examination.next.map(({ command, does }) => ({
    command: command.replace(/^signalbox /, () => `${as} `),
    does,
  }));
  const longest = Math.max(...next.map(({ command }) => command.length));
  const fits = next.every(({ does }) => LABEL + longest + 2 + does.length <= width);
  return next.map(({ command, does }, at) => {
    const label = (at === 0 ? "Next" : "").padEnd(LABEL);
    return fits ? `${label}${command.padEnd(longest)}  ${does}` : `${label}${command}`;
  });
}

/** Every problem with its fix; on a small screen one line each, and no more than fit. */
function fitting(problems: readonly CheckResult[], room: number, screen: Terminal): readonly string[] {
  const whole = problems.flatMap((problem) => checkLines(problem, screen));
  if (whole.length <= room) return whole;
  const { width = 80, paint } = screen;
  const fits = problems.length <= room ? problems : problems.slice(0, Math.max(1, room - 1));
  const short = fits.map(
    ({ id, status, summary }) => `${paint(status, status.padEnd(6))} ${shortLine(`${id}: ${summary}`, width - 7)}`,
  );
  return fits.length === problems.length ? short : [...short, `… and ${problems.length - fits.length} more`];
}

/** One check with its fix. */
export function checkLines({ id, status, summary, fix }: CheckResult, { width, paint }: Terminal): readonly string[] {
  const lines = (text: string) => {
    const safe = printable(text).replaceAll("\n", "\\n");
    return width === undefined ? [safe] : wrapLines(safe, Math.max(20, width - INDENT));
  };
  const indented = (text: string) => `${" ".repeat(INDENT)}${text}`;
  const [first = "", ...rest] = lines(summary);
  return [
    `${paint(status, status.padEnd(6))} ${id.padEnd(17)} ${first}`,
    ...rest.map(indented),
    ...(fix === undefined ? [] : lines(`fix: ${fix}`).map(indented)),
  ];
}
