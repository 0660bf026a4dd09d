import { spawn } from "node:child_process";
import { once } from "node:events";
import { isRecord } from "../../lib/json/json-value.ts";
import { fileHash, type HookResult, type RegisteredHook } from "./find-hooks.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { safePath } from "../../lib/path/inside.ts";

const MAX_STDOUT = 1024 * 1024;
const MAX_STDERR = 4096;

export interface HookRun {
  /** The agent's input, unchanged. */
  readonly stdin: string;
  readonly workspace: string;
  readonly env: NodeJS.ProcessEnv;
  readonly milliseconds: number;
}

/** Runs one hook and parses its answer. Fails if it is missing, changed, crashes, hangs, or prints anything but one object. */
export async function runHook(hook: RegisteredHook, run: HookRun): Promise<HookResult> {
  const failed = (because: string): HookResult => ({ hook, failed: because });
  try {
    if (fileHash(hook.file) !== hook.hash) return failed("its file has changed since it was registered");
  } catch {
    return failed("its file is missing or cannot be read");
  }
  const ended = await execute(hook, run);
  if (ended.failed !== undefined) return failed(ended.failed);
  if (ended.code === 2) return failed(ended.stderr.trim() === "" ? "it refused without a reason" : ended.stderr.trim());
  if (ended.code !== 0) return failed(`it ended with exit code ${ended.code}`);
  return parseOutput(hook, ended.stdout);
}

/** Accepts exactly one JSON object, or no output. */
function parseOutput(hook: RegisteredHook, stdout: string): HookResult {
  if (stdout.trim() === "") return { hook, said: {} };
  try {
    const value: unknown = parseJson(stdout);
    if (isRecord(value)) return { hook, said: value };
  } catch {
    // Reported below.
  }
  return { hook, failed: "it printed something other than one JSON object" };
}

interface Ended {
  readonly failed?: string;
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function execute(hook: RegisteredHook, run: HookRun): Promise<Ended> {
  const [program = hook.file, ...args] = hook.argv;
  const child = spawn(program, args, {
    cwd: run.workspace,
    env: { ...run.env, PATH: safePath(run.env, run.workspace), SIGNALBOX_HOOK_EVENT: hook.event },
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
  try {
    await once(child, "spawn");
  } catch (error) {
    const why = messageOf(error);
    return { failed: `it could not be started: ${why}`, code: 0, stdout: "", stderr: "" };
  }
  return await new Promise((resolve) => {
    const out: Buffer[] = [];
    let [size, stderr] = [0, ""];
    const end = (result: Omit<Ended, "stdout" | "stderr">) => {
      clearTimeout(timer);
      endGroup(child.pid);
      resolve({ ...result, stdout: Buffer.concat(out).toString("utf8"), stderr });
    };
    const timer = setTimeout(
      () => end({ failed: `it did not answer in ${run.milliseconds / 1000} s`, code: 0 }),
      run.milliseconds,
    );
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_STDOUT) end({ failed: `it printed more than ${MAX_STDOUT} bytes`, code: 0 });
      else out.push(chunk);
    });
    child.stderr.on("data", (chunk: Buffer) => {
      if (stderr.length < MAX_STDERR) stderr += chunk.toString("utf8").slice(0, MAX_STDERR);
    });
    // A hook that does not read its input breaks the pipe, but its answer is still valid.
    child.stdin.on("error", () => {});
    child.on("error", (error) => end({ failed: error.message, code: 0 }));
    child.on("close", (code, signal) =>
      end(signal === null ? { code: code ?? 1 } : { failed: `it was ended by ${signal}`, code: 1 }),
    );
    child.stdin.end(run.stdin);
  });
}

/** Kills the hook's process group, including the hook itself. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The whole group has ended.
  }
}
