import * as z from "zod";
import type { Tool } from "../contract/tool.ts";
import { answer, failure } from "./answer.ts";
import type { CommandRunner } from "./command/command-runner.ts";
import { describeEnd, showOutput } from "./command/show-output.ts";
import { showProgress } from "./command/show-progress.ts";
import type { CommandEnd, RunningCommand } from "./command/start-command.ts";

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
