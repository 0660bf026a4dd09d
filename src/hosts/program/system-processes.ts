import { setTimeout as sleep } from "node:timers/promises";
import { commandEnvironment } from "../../launch/child-environment.ts";
import { isInside } from "../../lib/path/inside.ts";
import { endTree } from "../../lib/process/end-tree.ts";
import { openPipes, spawnOnPipe } from "../../lib/process/pipe-pool.ts";
import { shQuote } from "../../lib/text/shell-words.ts";
import { isUserError, messageOf } from "../../lib/text/user-error.ts";
import type { CheckEnd } from "../../receipts/acceptance/accept-work.ts";
import type { Check, Processes } from "../../receipts/run/run-setup.ts";

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
  const { child, output: stream } = spawnOnPipe(argv, cwd, commandEnvironment(env, runId), await pipes.take());
  let output = Buffer.alloc(0);
  stream.on("data", (chunk: Buffer) => (output = Buffer.concat([output, chunk]).subarray(-OUTPUT_BYTES)));
  stream.on("error", () => undefined);
  const closed = new Promise<void>((resolve) => stream.once("close", () => resolve()));
  let broken: string | undefined;
  const breakOff = (because: string) => () => {
    broken ??= because;
    void endTree({ id: runId });
  };
  const tooLong = `took longer than ${timeoutMs} ms`;
  const timer = setTimeout(breakOff(tooLong), timeoutMs);
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
      : { code: null, timedOut: broken === tooLong, because: broken, output: text };
  } finally {
    stream.destroy();
    clearTimeout(timer);
    signal.removeEventListener("abort", interrupt);
  }
}

/** The check must be contained and cannot be. */
class NotPlaced extends Error {}

interface PlacedCheck extends AsyncDisposable {
  readonly argv: readonly string[];
  /** What the sandbox refused, for whoever reads the check's output. */
  readonly takeNotes: () => readonly string[];
}

const OUTSIDE = /^\s*signalbox outside -- /;

/**
 * Where a check runs. It starts what the agent wrote, so it gets a sandbox like the agent's, in which nothing that the
 * agent left is running. The user takes it out with `signalbox outside -- CHECK`.
 */
async function placeCheck(check: Check, env: NodeJS.ProcessEnv): Promise<PlacedCheck> {
  const { command, cwd, sandbox } = check;
  const argv = ["/bin/sh", "-c", command];
  if (sandbox === undefined || OUTSIDE.test(command)) return outside(argv);
  const { policy, home, isRequired } = sandbox;
  const warnings: string[] = [];
  const { openContainedSession } = await import("../../sandbox/contained-session.ts");
  const opening = openContainedSession({
    policy,
    // The same form as the agent's, which under `auto` may be the weaker one.
    isRequired: policy.sandbox !== "auto",
    caller: { session: check.runId, agent: "check" },
    environment: env,
    signalboxHome: home,
    network: () => policy.network,
    isTainted: () => false,
    warn: (text) => void warnings.push(text),
  });
  const session = await opening.catch((error: unknown) => {
    throw isUserError(error) ? new NotPlaced(`${error.message}. To change that: ${error.fix}`) : error;
  });
  if (!session.contained) {
    if (!isRequired) return outside(argv);
    throw new NotPlaced(`${session.containment.because}. To change that: ${session.containment.fix}`);
  }
  try {
    const line = argv.map(shQuote).join(" ");
    const needs = isInside(cwd, policy.workspaceRoot) ? [] : [copyNeed(cwd)];
    const words = needs.length === 0 ? [session.program] : await session.lend(needs, line);
    return {
      argv: [...words, line],
      takeNotes: () => [...session.takeNotes(), ...warnings.splice(0)],
      [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
    };
  } catch (error) {
    await session[Symbol.asyncDispose]();
    throw new NotPlaced(messageOf(error));
  }
}

const outside = (argv: readonly string[]): PlacedCheck => ({
  argv,
  takeNotes: () => [],
  [Symbol.asyncDispose]: () => Promise.resolve(),
});

const copyNeed = (copy: string) =>
  ({ kind: "path", target: copy, access: "write", because: "the check runs in a copy of the workspace" }) as const;
