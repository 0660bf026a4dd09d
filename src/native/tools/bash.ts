import { resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import * as z from "zod";
import type { Tool, ToolOutput } from "../../contract/tool.ts";
import { whenAborted } from "../../lib/process/tasks.ts";
import { shortLine } from "../../lib/text/printable.ts";
import type { CommandRunner, DetachedCommand } from "../../sandbox/run/command-runner.ts";
import type { CommandContainment } from "../../sandbox/run/contained-commands.ts";
import type { OutputPart, OutputWindow } from "../../sandbox/run/output-window.ts";
import type { CommandEnd, RunningCommand } from "../../sandbox/run/start-command.ts";
import { answer, failure } from "./answer.ts";

const Input = z.strictObject({
  command: z.string().min(1).max(65_536),
  cwd: z.string().min(1).optional().describe("folder to run in; default: the workspace"),
  mode: z.enum(["sync", "async", "detached"]).default("sync"),
  timeout_seconds: z.number().positive().max(3600).default(120).describe("time limit of a sync command; default: 120"),
});

/** How long an async command is watched before the model gets its first output. */
const FIRST_LOOK_MS = 1000;

/** What the sandbox has refused since the last call, for the end of the output. */
type TakeNotes = CommandContainment["takeNotes"];

interface BashOptions {
  readonly runner: CommandRunner;
  readonly workspace: string;
  readonly takeNotes: TakeNotes;
}

export const bash = ({ runner, workspace, takeNotes }: BashOptions): Tool<typeof Input> => ({
  name: "bash",
  description:
    "Run a shell command and get its output, stdout and stderr in order. Each call is a fresh shell without input. sync waits for the end; async returns an id for read_bash and stop_bash; detached keeps running after this session, or in a sandbox until its end.",
  input: Input,
  sideBySide: false,
  async run({ command, cwd, mode, timeout_seconds: seconds }, { signal, progress }) {
    signal.throwIfAborted();
    const request = { command, folder: resolve(workspace, cwd ?? ".") };
    if (mode === "detached") return detached(await runner.startDetached(request), command);
    const running = await runner.start(request);
    using _ = showProgress(running.output, progress);
    const stop = (): void => void running.end();
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      if (mode === "sync") return await finish(running, { ...request, seconds, signal, takeNotes });
      await before(running.ended, FIRST_LOOK_MS);
      const name = await keepOrEnd(running, runner);
      return answer(`${name} started.\n${showOutput(running.output.take(), running.output.file)}`, [
        deed(command, null),
      ]);
    } finally {
      signal.removeEventListener("abort", stop);
    }
  },
});

async function keepOrEnd(running: RunningCommand, runner: CommandRunner): Promise<string> {
  try {
    return runner.keep(running);
  } catch (error) {
    await running.end();
    throw error;
  }
}

interface Finish {
  readonly takeNotes: TakeNotes;
  readonly command: string;
  readonly folder: string;
  readonly seconds: number;
  readonly signal: AbortSignal;
}

async function finish(running: RunningCommand, finishing: Finish): Promise<ToolOutput> {
  const { command, folder, seconds, signal, takeNotes } = finishing;
  const started = performance.now();
  const inTime = await before(running.ended, seconds * 1000);
  const end = inTime ? await running.ended : await running.end();
  const output = showOutput(running.output.take(), running.output.file).trimEnd();
  const late = inTime ? [] : [`ended after ${seconds} s; use mode async for longer commands`];
  const cut = signal.aborted ? ["interrupted"] : [];
  const notes = [...cut, ...late, ...describeEnd(end, performance.now() - started)];
  const refused = takeNotes(running.inside ? { output, command, folder } : undefined);
  const shown = [...refused, ...notes].map((note) => `[${note}]`);
  const text = [...(output === "" ? ["(no output)"] : [output]), ...shown].join("\n");
  return (end.code === 0 && inTime && !signal.aborted ? answer : failure)(text, [deed(command, end.code)]);
}

function detached({ pid, outputFile, exitFile, inside }: DetachedCommand, command: string): ToolOutput {
  const until = inside ? " It runs in the session's sandbox and ends with this session." : "";
  const text = `process ${pid} is running detached. Output: ${outputFile}. When it has ended, ${exitFile} contains its exit code.${until}`;
  return answer(text, [deed(command, null)]);
}

const deed = (command: string, exitCode: number | null) => ({ kind: "command", command, exitCode }) as const;

/** True when the promise settles in time. */
async function before(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), milliseconds);
  try {
    return await Promise.race([promise.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

const ReadInput = z.strictObject({
  id: z.string().min(1),
  wait_seconds: z.number().min(0).max(300).default(5).describe("how long to wait for it to end; default: 5"),
});

export const readBash = (runner: CommandRunner): Tool<typeof ReadInput> => ({
  name: "read_bash",
  description: "Get new output of an async command, and whether it is still running.",
  input: ReadInput,
  sideBySide: false,
  async run({ id, wait_seconds: seconds }, { signal, progress }) {
    const running = runner.named(id);
    if (running === undefined) return unknown(id, runner);
    using _ = showProgress(running.output, progress);
    const waited = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]);
    const end = await Promise.race([running.ended, whenAborted(waited)]);
    if (end !== undefined) runner.forget(id);
    return report(running, end);
  },
});

const StopInput = z.strictObject({ id: z.string().min(1) });

export const stopBash = (runner: CommandRunner): Tool<typeof StopInput> => ({
  name: "stop_bash",
  description: "End an async command and everything it started.",
  input: StopInput,
  sideBySide: false,
  async run({ id }) {
    const running = runner.named(id);
    if (running === undefined) return unknown(id, runner);
    const end = await running.end();
    runner.forget(id);
    return report(running, end);
  },
});

function unknown(id: string, runner: CommandRunner) {
  const names = runner.names();
  return failure(`no command ${id} runs; ${names.length === 0 ? "there is none" : `there are ${names.join(", ")}`}`);
}

function report(running: RunningCommand, end: CommandEnd | undefined) {
  const output = showOutput(running.output.take(), running.output.file).trimEnd();
  const state = end === undefined ? ["still runs"] : ["ended", ...describeEnd(end)];
  return answer([output === "" ? "(no new output)" : output, ...state.map((note) => `[${note}]`)].join("\n"));
}

/** Maximum characters of a command's output that a model sees. */
const MAX_HEAD = 10_000;

const MAX_TAIL = 20_000;

/** Output for a model: no colours, no overwritten progress lines, no binary data, and limited in length. */
export function showOutput(part: OutputPart, file: string): string {
  const { head, tail, lost, total, savedBytes } = part;
  if (isBinary(head)) return `(${total} bytes of binary data; ${where(file, savedBytes, total)})`;
  const whole = lost === 0 ? clean(Buffer.concat([head, tail])) : undefined;
  if (whole !== undefined && whole.length <= MAX_HEAD + MAX_TAIL) return whole;
  const begin = (whole ?? clean(head)).slice(0, MAX_HEAD);
  const end = (whole ?? clean(tail)).slice(-MAX_TAIL);
  return `${upToLine(begin)}\n[… omitted; ${total} bytes in total, ${where(file, savedBytes, total)} …]\n${fromLine(end)}`;
}

const MAX_LINE = 200;

/** The last line with text in the end of an output, for people; undefined when there is none or it is binary. */
export function lastLine(recent: Buffer): string | undefined {
  if (isBinary(recent)) return undefined;
  const line = clean(recent)
    .split("\n")
    .findLast((text) => text.trim() !== "");
  // The first bytes may be the rest of a character.
  return line === undefined ? undefined : shortLine(line.replace(/^\ufffd+/, ""), MAX_LINE);
}

const MAX_LINES = 20;

/** The last lines of an output that is not binary, for people. */
const lastLines = (recent: Buffer): string =>
  clean(recent)
    .replace(/^\ufffd+/, "")
    .trimEnd()
    .split("\n")
    .slice(-MAX_LINES)
    .join("\n");

const where = (file: string, savedBytes: number, total: number) =>
  savedBytes < total ? `the first ${savedBytes} of them are in ${file}` : `all of them are in ${file}`;

const clean = (bytes: Buffer) =>
  stripVTControlCharacters(bytes.toString("utf8")).split("\n").map(lastWritten).join("\n").replace(CONTROL, "");

/**
 * What a terminal would show of an overwritten line. Uses a search instead of a regular expression, because lines can
 * be very long.
 */
function lastWritten(line: string): string {
  const ended = line.endsWith("\r") ? line.slice(0, -1) : line;
  return ended.slice(ended.lastIndexOf("\r") + 1);
}

/** Remaining control characters, except tab and line feed. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/**
 * A cut moves to the end of a line when that costs no more than this; otherwise it goes through the line and says so.
 */
const NEAR = 500;

function upToLine(text: string): string {
  const end = text.lastIndexOf("\n");
  return end !== -1 && text.length - end <= NEAR
    ? text.slice(0, end)
    : `${text.replace(/[\ud800-\udbff]$/, "")}[… line cut]`;
}

function fromLine(text: string): string {
  const end = text.indexOf("\n");
  return end !== -1 && end < NEAR ? text.slice(end + 1) : `[line cut …]${text.replace(/^[\udc00-\udfff]/, "")}`;
}

const SAMPLE = 8192;

/** A zero byte, or more broken characters than a cut inside one would explain. */
function isBinary(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, SAMPLE);
  if (sample.includes(0)) return true;
  const broken = new TextDecoder().decode(sample).split("\ufffd").length - 1;
  return broken > 3 && broken * 20 > sample.length;
}

/** What a model must know about how a command ended; empty when it succeeded quickly. */
function describeEnd(end: CommandEnd, milliseconds = 0): readonly string[] {
  const { code, signal, leftovers, stubborn, background = 0 } = end;
  const seconds = milliseconds > 10_000 ? [`took ${Math.round(milliseconds / 1000)} s`] : [];
  return [
    ...(signal !== null ? [`ended by ${signal}`] : code === 0 ? [] : [`exit code ${code ?? "unknown"}`]),
    ...seconds,
    ...(leftovers > 0
      ? [`${leftovers} of its processes were still running and were ended; use mode async to keep them`]
      : []),
    ...(stubborn > 0 ? [`${stubborn} of its processes cannot be ended`] : []),
    ...(background > 0 ? [`${background} of its processes keep running until this session ends`] : []),
  ];
}

/** Often enough to look live, and few enough events for a log or an editor. */
const EVERY_MS = 250;

/**
 * Passes the last line of a command's output and the lines before it on whenever it has changed, until disposed. A
 * short command shows nothing.
 */
function showProgress(
  output: Pick<OutputWindow, "recent">,
  progress: (line: string, recent: string) => void,
): Disposable {
  let seen = output.recent();
  let shown: string | undefined;
  const timer = setInterval(() => {
    const recent = output.recent();
    if (recent === seen) return;
    seen = recent;
    const line = lastLine(recent);
    if (line === undefined || line === shown) return;
    shown = line;
    progress(line, lastLines(recent));
  }, EVERY_MS).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
