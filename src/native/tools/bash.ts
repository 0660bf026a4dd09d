import { resolve } from "node:path";
import * as z from "zod";
import type { Tool, ToolOutput } from "../../contract/tool.ts";
import type { CommandRunner, DetachedCommand } from "../../sandbox/run/command-runner.ts";
import type { CommandContainment } from "../../sandbox/run/contained-commands.ts";
import type { CommandEnd, RunningCommand } from "../../sandbox/run/start-command.ts";
import { answer, failure } from "./answer.ts";
import { describeEnd, showOutput, showProgress } from "./command-output.ts";

const Input = z.strictObject({
  command: z.string().min(1).max(65_536),
  cwd: z.string().min(1).optional().describe("folder to run in; default: the workspace"),
  mode: z.enum(["sync", "async", "detached"]).default("sync"),
  timeout_seconds: z.number().positive().max(3600).default(120).describe("time limit of a sync command; default: 120"),
});

interface BashParts {
  readonly runner: CommandRunner;
  /** What the sandbox has refused since the last call, for the end of the output. */
  readonly takeNotes: CommandContainment["takeNotes"];
  readonly workspace: string;
}

/** How long an async command is watched before the model gets its first output. */
const FIRST_LOOK_MS = 1000;

export const bash = ({ runner, takeNotes, workspace }: BashParts): Tool<typeof Input> => ({
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

interface Finish extends Pick<BashParts, "takeNotes"> {
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
    const end = await endOrUndefined(running, waited);
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

async function endOrUndefined(running: RunningCommand, signal: AbortSignal): Promise<CommandEnd | undefined> {
  const aborted = Promise.withResolvers<undefined>();
  const give = (): void => aborted.resolve(undefined);
  signal.addEventListener("abort", give, { once: true });
  if (signal.aborted) give();
  return await Promise.race([running.ended, aborted.promise]);
}
