import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { realpathSync, writeSync } from "node:fs";
import { isatty } from "node:tty";
import { Writable } from "node:stream";
import { deliverPrompt, type Delivery, runsNoTools } from "../agents/deliver-prompt.ts";
import { isUnattended } from "../agents/is-unattended.ts";
import type { Agent } from "../agents/pack/agent.ts";
import { findPack } from "../agents/registry.ts";
import type { Guard, GuardedStart } from "../hooks/install/guarded-start.ts";
import { diskError } from "../lib/disk-error.ts";
import { endAll } from "../lib/end-all.ts";
import { endTree } from "../lib/end-tree.ts";
import { gitTop } from "../lib/git-top.ts";
import { signalboxHome } from "../lib/home-folder.ts";
import { systemProgram } from "../lib/system-program.ts";
import { EXIT, UserError } from "../lib/user-error.ts";
import { refreshStaged, stagedCheck } from "../staging/refresh.ts";
import { childEnvironment, outerRuns, secretFlags } from "./child-environment.ts";
import { type ChildEnd, exitStatus } from "./exit-status.ts";
import type { Launch } from "./launch-request.ts";
import { relaySignals } from "./relay-signals.ts";
import { openLaunchFolder, openRun, sweepRuns } from "./run-folder.ts";
import { startFailure } from "./start-failure.ts";
import { writeLauncherContext } from "./write-context.ts";

const MAX_NESTED = 8;

/** Starts an agent, hands it the terminal, ends all its processes, and returns the exit status. */
export async function launchAgent(launch: Launch): Promise<number> {
  const { agent, env, warn } = launch;
  refuseRecursion(agent, env);
  for (const warning of launch.binary.warnings) warn(warning);
  if ((await sweepRuns(env)) > 0) warn("stopped processes left behind by a killed signalbox");
  using run = openRun(env);
  using relay = relaySignals(run, launch.prompt === undefined && isatty(0), env["SIGNALBOX_IGNORED"]);
  for (const warning of await refreshStagedHere(launch)) warn(warning);
  using guard = await guardLaunch(launch, run.folder);
  const guarded = guard === undefined ? launch : { ...launch, flags: guard.flags };
  const delivery = deliver(guarded, run.folder);
  for (const warning of delivery.plan?.warnings ?? []) warn(warning);
  for (const warning of writeLauncherContext(agent.name, launch.cwd, launch.version)) warn(warning);

  const restoreTerminal = rememberTerminal();
  const child = await start(launch, delivery, childEnvironment(agent, guard?.env ?? env, run.id));
  relay.attach(child);
  // Loads while the agent starts. Otherwise its first hook would wait for this, or fall back to the bundle.
  void guard?.load().catch((error: unknown) => warn(`the hook server failed to load: ${String(error)}`));
  const end = await ended(child);
  const signal = relay.endingSignal();
  const survivors = await endTree(run, relay.known());
  restoreTerminal(end.signal === null && signal === undefined);
  warnIfUnguarded(launch, guard);
  if (survivors.length > 0) warn(`could not stop ${survivors.map((row) => `process ${row.pid}`).join(", ")}`);
  return exitStatus(end, signal);
}

/** If an agent worked on a task without calling any hook, it was not guarded. */
function warnIfUnguarded({ agent, prompt, warn }: Launch, guard: Guard | undefined): void {
  if (guard === undefined || prompt === undefined || guard.heard()) return;
  warn(`${agent.title} never called our hooks: any tools it ran were not checked`);
}

/** Updates what `stage` has put into this repository. */
async function refreshStagedHere({ cwd, env }: Launch): Promise<readonly string[]> {
  const root = gitTop(realpathSync(cwd))?.folder ?? cwd;
  return await refreshStaged({ root, home: signalboxHome(env), env });
}

/** If the agent on PATH is a script that starts signalbox, it would recurse forever. */
function refuseRecursion(agent: Agent, env: NodeJS.ProcessEnv): void {
  if (outerRuns(env).length < MAX_NESTED) return;
  throw new UserError(`${MAX_NESTED} nested launches`, {
    where: `${agent.name}, through ${agent.binary} on PATH or SIGNALBOX_${agent.name.toUpperCase()}_BINARY`,
    fix: `set SIGNALBOX_${agent.name.toUpperCase()}_BINARY to the real program`,
    exitCode: EXIT.refused,
  });
}

type Delivered = Pick<Delivery, "argv" | "stdin"> & Partial<Pick<Delivery, "plan">>;

function deliver({ agent, env, flags, prompt }: Launch, folder: string): Delivered {
  const ownFlags = [...secretFlags(agent, env, flags), ...flags];
  return prompt === undefined ? { argv: ownFlags } : deliverPrompt({ agent, flags: ownFlags, prompt, env, folder });
}

/** A task with a prompt runs in its own process group, so that Ctrl-C reaches it once, through us. */
async function start(launch: Launch, delivery: Delivered, env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const headless = launch.prompt !== undefined;
  const output = launch.proofRun?.output ?? "inherit";
  if (output === "inherit") keepBlocking();
  const [program, ...leading] = launch.binary.words;
  const child = spawn(program, [...leading, ...delivery.argv], {
    cwd: launch.cwd,
    env,
    stdio: [headless ? (delivery.stdin === undefined ? "ignore" : "pipe") : "inherit", output, output],
    detached: headless,
  });
  try {
    await once(child, "spawn");
  } catch (error) {
    throw startFailure(launch.agent, launch.binary, error);
  }
  launch.proofRun?.signal.addEventListener("abort", () => child.kill("SIGKILL"));
  // An agent that exits without reading its prompt breaks the pipe. Its exit status explains the rest.
  child.stdin?.on("error", () => {});
  child.stdin?.end(delivery.stdin);
  return child;
}

async function ended(child: ChildProcess): Promise<ChildEnd> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return { code: child.exitCode, signal: child.signalCode };
}

/** Leaves the alternate screen, shows the cursor, turns off mouse reporting and bracketed paste, and resets colors. */
const TIDY = "\u001b[?1049l\u001b[?25h\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1006l\u001b[?2004l\u001b[0m";

/**
 * Saves the terminal's settings and returns a function that restores them. It also cleans up after an agent that did
 * not exit by itself.
 */
function rememberTerminal(): (endedByItself: boolean) => void {
  if (!isatty(0)) return () => {};
  const saved = stty("-g");
  return (endedByItself) => {
    if (saved !== undefined) stty(saved);
    if (!endedByItself && isatty(1)) writeSync(1, TIDY);
  };
}

function stty(argument: string): string | undefined {
  const program = systemProgram("stty");
  if (program === undefined) return undefined;
  const { status, stdout } = spawnSync(program, [argument], { stdio: ["inherit", "pipe", "ignore"], encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

const SHARED = { stdout: 1, stderr: 2 } as const;

/**
 * Keeps stdout and stderr blocking for the agent that shares them. Node makes a pipe non-blocking when its stream
 * object is created, and closing any socket creates the one for stderr. An agent that then writes faster than its
 * reader reads gets EAGAIN, and Codex panics.
 */
function keepBlocking(): void {
  for (const [name, descriptor] of Object.entries(SHARED)) {
    const stream = new Writable({
      write(chunk: Uint8Array, _, done) {
        try {
          writeSync(descriptor, chunk);
          done();
        } catch (error) {
          done(error instanceof Error ? error : new Error(String(error)));
        }
      },
    });
    Object.defineProperty(process, name, { configurable: true, enumerable: true, get: () => stream });
  }
}

/**
 * Prepares the guard for a launch, or warns that there is none. Subcommands of an agent that run no tools don't need
 * one.
 */
async function guardLaunch(launch: Launch, folder: string): Promise<Guard | undefined> {
  const { agent, warn } = launch;
  if (runsNoTools(launch)) return undefined;
  // Loaded only for a guarded launch.
  const { prepareGuard } = await import("../hooks/install/prepare.ts");
  if (launch.unguarded === true || findPack(agent.name)?.install === undefined) {
    const because = launch.unguarded === true ? "as you asked" : `${agent.title} has no hooks`;
    warn(`unguarded: ${agent.title}'s tool calls are not checked, ${because}`);
    return undefined;
  }
  const place = openLaunchFolder(signalboxHome(launch.env), folder);
  if (!place.isInHome) warn("cannot write to signalbox's home folder, so calls can be neither recorded nor allowed");
  try {
    const guard = await prepareGuard({
      ...startOf(launch),
      folder: place.folder,
      staged: await stagedCheck(launch.cwd, launch.env),
    });
    const end = () => endAll([() => guard[Symbol.dispose](), () => place[Symbol.dispose]()], warn);
    return { ...guard, [Symbol.dispose]: end };
  } catch (error) {
    place[Symbol.dispose]();
    throw diskError(error, place.folder) ?? error;
  }
}

function startOf(launch: Launch): Omit<GuardedStart, "folder" | "staged"> {
  return {
    agent: launch.agent.name,
    binary: launch.binary.real,
    cwd: launch.cwd,
    flags: launch.flags,
    env: launch.env,
    interactive: launch.prompt === undefined && isatty(0) && isatty(1) && !isUnattended(launch.agent, launch.flags),
    deniedTools: launch.deniedTools ?? [],
    warn: launch.warn,
    onInstalled: launch.proofRun?.onInstalled,
  };
}
