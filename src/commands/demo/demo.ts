import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { runGit } from "../../lib/run-git.ts";
import { calledAs } from "../../lib/called-as.ts";
import { currentFolder } from "../../lib/current-folder.ts";
import { ENDING_SIGNALS } from "../../lib/ending-signals.ts";
import { errorCode } from "../../lib/error-code.ts";
import { hasStarted } from "../../lib/has-started.ts";
import { isRecord } from "../../lib/is-record.ts";
import { packageRoot } from "../../lib/package-root.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { stdoutFull } from "../../lib/stdout-full.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { startScriptedModel } from "../../models/scripted/server.ts";
import { DEMO_CHECK, DEMO_SCRIPT, DEMO_TASK, makeDemoRepository } from "./repository.ts";
import { type DemoEvent, demoScreen } from "./screen.ts";
import type { CommandModule } from "../command-module.ts";

/**
 * Shows in seconds what signalbox does, using the real parts without network or key. Succeeds only when every step
 * happened.
 */
export const command: CommandModule = {
  configure(demo) {
    demo
      .option("--keep", "keep the repository and the receipt for inspection")
      .addHelpText("after", "\nExample:\n  signalbox demo --keep");
  },
  async run({ flags }) {
    const keep = flags["keep"] === true;
    const base = openFolder();
    const interrupted = new AbortController();
    const onSignal = (signal: NodeJS.Signals) => interrupted.abort(signal);
    for (const signal of ENDING_SIGNALS) process.on(signal, onSignal);
    // Our reader is gone or its disk is full, so there is nobody left to show the demo to.
    process.stdout.on("error", (error) =>
      interrupted.abort(errorCode(error) === "EPIPE" ? "SIGPIPE" : stdoutFull(error)),
    );
    try {
      const succeeded = await show(base, { keep, signal: interrupted.signal });
      const { aborted, reason } = interrupted.signal;
      if (reason instanceof Error) throw reason;
      if (aborted) return 128 + (Object.entries(constants.signals).find(([name]) => name === reason)?.[1] ?? 0);
      return succeeded ? EXIT.ok : EXIT.failed;
    } finally {
      if (!keep || interrupted.signal.aborted) rmSync(base, { recursive: true, force: true });
      for (const signal of ENDING_SIGNALS) process.off(signal, onSignal);
    }
  },
};

function openFolder(): string {
  try {
    return realpathSync(mkdtempSync(join(tmpdir(), "signalbox-demo-")));
  } catch (cause) {
    throw new UserError("cannot create a temporary repository", {
      where: tmpdir(),
      fix: "set TMPDIR to an existing folder you can write to",
      cause,
    });
  }
}

interface Showing {
  readonly keep: boolean;
  readonly signal: AbortSignal;
}

interface Place {
  readonly home: string;
  readonly repository: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

async function show(base: string, { keep, signal }: Showing): Promise<boolean> {
  const screen = demoScreen(process.stdout, calledAs(process.env, currentFolder()));
  const [home, repository, programs] = [join(base, "home"), join(base, "repository"), join(base, "bin")];
  mkdirSync(home, { mode: 0o700 });
  // The check uses the Node we run on, because there may be no other.
  mkdirSync(programs);
  symlinkSync(process.execPath, join(programs, "node"));
  await makeDemoRepository(repository);
  await using model = await startScriptedModel({ script: DEMO_SCRIPT });
  const env = {
    ...process.env,
    PATH: `${programs}:${process.env["PATH"] ?? "/usr/bin:/bin"}`,
    HOME: home,
    SIGNALBOX_HOME: join(home, ".signalbox"),
    SIGNALBOX_MODEL: "anthropic/scripted",
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: "no-key-is-needed",
  };
  const place = { home, repository, env, signal };
  screen.opening(DEMO_TASK, DEMO_CHECK);
  const run = await workOn(place, screen.event);
  if (signal.aborted) return false;
  const diff = await gitDiff(repository);
  const receipt = await ask(place, ["receipt", "show", "last"]);
  const verified = await ask(place, ["receipt", "verify"]);
  const happened = {
    "curl … | sh was blocked": run.blocked,
    'the false "done" was caught': run.caught,
    "the test was fixed": run.code === 0 && diff.includes("+  return sum / numbers.length;"),
    "the receipt is good": verified.code === 0 && /^guarded +yes/m.test(receipt.output),
  };
  screen.fix(diff, { check: DEMO_CHECK, accepted: run.code === 0 });
  screen.receipt(receipt.output, { output: verified.output, good: verified.code === 0 });
  screen.closing(happened, keep ? { repository, home: env.SIGNALBOX_HOME } : undefined);
  return Object.values(happened).every(Boolean);
}

interface DemoRun {
  readonly code: number | null;
  readonly blocked: boolean;
  readonly caught: boolean;
}

/** Runs the real program once, as a person would type it. */
async function workOn(place: Place, onEvent: (event: DemoEvent) => void): Promise<DemoRun> {
  const args = ["run", "native", DEMO_TASK, "--accept", DEMO_CHECK, "--json"];
  const { child, ended } = await start(place, args);
  let [blocked, caught, rest] = [false, false, ""];
  for await (const chunk of child.stdout) {
    rest += String(chunk);
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const event = readEvent(line);
      blocked ||= event.kind === "denied";
      caught ||= event.kind === "not-accepted";
      onEvent(event);
    }
  }
  return { code: await ended, blocked, caught };
}

function readEvent(line: string): DemoEvent {
  const event: unknown = parseJson(line);
  if (!isRecord(event)) return { kind: "other" };
  const { type, text, input, output, message } = event;
  if (type === "assistant_message") return { kind: "message", text: String(text) };
  if (type === "tool_call" && isRecord(input) && typeof input["command"] === "string")
    return { kind: "command", text: input["command"] };
  if (type === "tool_result" && isRecord(output) && output["denied"] === true)
    return { kind: "denied", text: String(output["reason"]) };
  if (type === "warning" && String(message).startsWith("not finished (acceptance)"))
    return { kind: "not-accepted", text: String(message) };
  return { kind: "other" };
}

const gitDiff = async (cwd: string) =>
  (await runGit(["diff", "--no-ext-diff", "--no-color", "--unified=1"], { cwd })).stdout.toString("utf8");

/** One query to the real program. */
async function ask(place: Place, args: readonly string[]) {
  const { child, ended } = await start(place, args);
  return { output: await text(child.stdout), code: await ended };
}

/**
 * Starts the real program in the demo's repository. When the demo is interrupted, the child is asked to end and waited
 * for.
 */
async function start({ repository, env, signal }: Place, args: readonly string[]) {
  const child = spawn(join(packageRoot(), "bin/signalbox"), args, {
    cwd: repository,
    env,
    stdio: ["ignore", "pipe", "inherit"],
    // So that Ctrl-C reaches it only once, through us.
    detached: true,
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  if (!(await hasStarted(child))) throw new Error(`${child.spawnfile} could not be started`);
  const end = () => void child.kill("SIGTERM");
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  return { child, ended };
}
