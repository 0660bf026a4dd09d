import { setTimeout as sleep } from "node:timers/promises";
import type { Check, CheckEnd, Processes } from "../../backplane/run/run-parts.ts";
import { commandEnvironment } from "../../launch/child-environment.ts";
import { endTree } from "../../lib/end-tree.ts";
import { NotPlaced, placeCheck } from "./place-check.ts";
import { openPipes } from "../../lib/pipe-pool.ts";
import { spawnOnPipe } from "../../lib/spawn-on-pipe.ts";

/** The processes of this machine. */
export function systemProcesses(env: NodeJS.ProcessEnv): Processes {
  return {
    endRun: async (id) => (await endTree({ id })).length,
    environment: env,
    runCheck: (check) => runCheck(check, env),
  };
}

const OUTPUT_BYTES = 4096;
/** How long to wait for remaining output after the exit. */
const DRAIN_MS = 1000;

/** The command is the user's own text, so a shell runs it. All its processes end with it. */
async function runCheck(check: Check, env: NodeJS.ProcessEnv): Promise<CheckEnd> {
  try {
    await using place = await placeCheck(check, env);
    const end = await runPlaced(check, place.argv, env);
    return { ...end, output: [end.output, ...place.takeNotes()].filter((text) => text !== "").join("\n") };
  } catch (error) {
    if (!(error instanceof NotPlaced)) throw error;
    return { code: null, because: `could not be contained: ${error.message}`, output: "" };
  }
}

async function runPlaced(check: Check, argv: readonly string[], env: NodeJS.ProcessEnv): Promise<CheckEnd> {
  const { cwd, runId, timeoutMs, signal } = check;
  const pipes = openPipes({ first: 1, batch: 1, low: 0 });
  const place = { cwd, env: commandEnvironment(env, runId), pipe: await pipes.take() };
  const { child, output: stream } = spawnOnPipe(argv, place);
  let output = Buffer.alloc(0);
  stream.on("data", (chunk: Buffer) => (output = Buffer.concat([output, chunk]).subarray(-OUTPUT_BYTES)));
  stream.on("error", () => undefined);
  const closed = new Promise<void>((resolve) => stream.once("close", () => resolve()));
  let broken: string | undefined;
  const breakOff = (because: string) => () => {
    broken ??= because;
    void endTree({ id: runId });
  };
  const timer = setTimeout(breakOff(`took longer than ${timeoutMs} ms`), timeoutMs);
  const interrupt = breakOff("was interrupted");
  if (signal.aborted) interrupt();
  signal.addEventListener("abort", interrupt);
  try {
    const { code, ended } = await new Promise<{ code: number | null; ended: string }>((resolve, reject) => {
      child.on("error", reject);
      child.on("exit", (exit, by) =>
        resolve({ code: exit, ended: by === null ? `exited ${exit}` : `was killed by ${by}` }),
      );
    });
    await endTree({ id: runId });
    await Promise.race([closed, sleep(DRAIN_MS, undefined, { ref: false })]);
    const text = output.toString("utf8").trim();
    return broken === undefined
      ? { code, because: ended, output: text }
      : { code: null, because: broken, output: text };
  } finally {
    stream.destroy();
    clearTimeout(timer);
    signal.removeEventListener("abort", interrupt);
  }
}
