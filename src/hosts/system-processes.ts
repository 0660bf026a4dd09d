import { spawn } from "node:child_process";
import type { Check, CheckEnd, Processes } from "../backplane/run/processes.ts";
import { commandEnvironment } from "../launch/child-environment.ts";
import { endTree } from "../lib/end-tree.ts";
import { startTime } from "../lib/process-table.ts";

/** The processes of this machine. */
export function systemProcesses(env: NodeJS.ProcessEnv): Processes {
  return {
    started: startTime,
    endRun: async (id) => (await endTree({ id })).length,
    runCheck: (check) => runCheck(check, env),
  };
}

const OUTPUT_BYTES = 4096;

/** The command is the person's own text, so a shell reads it. Its whole tree ends with it. */
async function runCheck({ command, cwd, runId, timeoutMs, signal }: Check, env: NodeJS.ProcessEnv): Promise<CheckEnd> {
  const child = spawn("/bin/sh", ["-c", command], {
    cwd,
    env: commandEnvironment(env, runId),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = Buffer.alloc(0);
  const keep = (chunk: Buffer) => (output = Buffer.concat([output, chunk]).subarray(-OUTPUT_BYTES));
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
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
      child.on("exit", (exit, by) => resolve({ code: exit, ended: by === null ? `exited ${exit}` : `ended by ${by}` }));
    });
    await endTree({ id: runId });
    const text = output.toString("utf8").trim();
    return broken === undefined
      ? { code, because: ended, output: text }
      : { code: null, because: broken, output: text };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", interrupt);
  }
}
