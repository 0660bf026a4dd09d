import { spawn } from "node:child_process";
import type { NamedProject, Step } from "./named-projects.ts";
import { projectEnvironment } from "./run-outside.ts";

export interface StepResult {
  readonly step: Step;
  readonly command: string;
  /** The exit code, the signal that ended it, or `timeout`. */
  readonly ended: number | string;
  readonly seconds: number;
  /** The end of what it printed. */
  readonly tail: string;
}

const TIME_LIMIT_MS = 10 * 60_000;
const TAIL = 4000;

/** Runs the commands of a project in its folder, each behind the words of `prefix`, up to the first that fails. */
export async function runSteps(
  project: NamedProject,
  workspace: string,
  prefix: readonly string[],
): Promise<readonly StepResult[]> {
  const results: StepResult[] = [];
  for (const [step, command] of project.commands) {
    const started = performance.now();
    const { ended, tail } = await runCommand([...prefix, "bash", "-c", command], workspace);
    results.push({ step, command, ended, tail, seconds: (performance.now() - started) / 1000 });
    if (ended !== 0) break;
  }
  return results;
}

async function runCommand(words: readonly string[], cwd: string): Promise<Pick<StepResult, "ended" | "tail">> {
  const [program = "", ...args] = words;
  const stdio = ["ignore", "pipe", "pipe"] as const;
  const child = spawn(program, args, { cwd, env: projectEnvironment(), stdio: [...stdio], detached: true });
  let tail = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (tail = (tail + text).slice(-TAIL)));
  let ranOut = false;
  const limit = setTimeout(() => {
    ranOut = true;
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, TIME_LIMIT_MS);
  const ended = await new Promise<number | string>((done) => {
    child.on("error", (error) => done(error.message));
    child.on("close", (code, signal) => done(code ?? signal ?? "ended"));
  });
  clearTimeout(limit);
  return { ended: ranOut ? "timeout" : ended, tail: tail.trim() };
}
