import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { realpathSync, writeSync } from "node:fs";
import { basename } from "node:path";
import { Writable } from "node:stream";
import { isatty } from "node:tty";
import { deliverPrompt, type Delivery, runsNoTools } from "../agents/deliver-prompt.ts";
import type { FoundBinary } from "../agents/find-binary.ts";
import { type Agent, isUnattended } from "../agents/pack/agent.ts";
import { findPack } from "../agents/packs.ts";
import { RUN_EXIT } from "../contract/run-exit.ts";
import type { Guard, GuardedStart, InstalledHooks } from "../hooks/install/guarded-start.ts";
import { calledAs } from "../lib/path/package-folder.ts";
import { systemProgram } from "../lib/path/find-program.ts";
import { signalboxHome } from "../lib/path/home-folder.ts";
import { gitTop } from "../lib/path/workspace.ts";
import { endTree } from "../lib/process/end-tree.ts";
import { refuseDeepSession } from "../lib/process/inside-session.ts";
import { shQuote } from "../lib/text/shell-words.ts";
import { diskError, EXIT, messageOf, UserError } from "../lib/text/user-error.ts";
import { refreshStaged, stagedCheck, textsFor } from "../staging/refresh.ts";
import { childEnvironment, secretFlags } from "./child-environment.ts";
import { type ChildEnd, exitStatus, startFailure } from "./exit-status.ts";
import type { CheckOrder } from "./launch-check.ts";
import type { LaunchSession, SessionEnding } from "./launch-session.ts";
import { type Relay, relaySignals } from "./relay-signals.ts";
import { openLaunchFolder, openRun, sweepRuns } from "./run-folder.ts";
import { writeLauncherContext } from "./write-context.ts";

/** Starts an agent, hands it the terminal, ends all its processes, and returns the exit status. */
export async function launchAgent(request: Launch): Promise<number> {
  const warnings = heldWarnings(request.warn);
  const launch = { ...request, warn: warnings.warn };
  const { agent, env, warn } = launch;
  refuseRecursion(launch);
  for (const warning of launch.binary.warnings) warn(warning);
  if ((await sweepRuns(env)) > 0) warn("stopped processes left behind by a killed signalbox");
  using run = openRun(env);
  using relay = relaySignals(run, launch.prompt === undefined && isatty(0), env["SIGNALBOX_IGNORED"]);
  await refreshStagedHere(launch);
  await using guard = await guardLaunch(launch, run.folder);
  const guarded = guard === undefined ? launch : { ...launch, flags: guard.flags };
  const delivery = deliver(guarded, run.folder);
  const unrecorded = writeLauncherContext(agent.name, launch.cwd, launch.version);
  for (const warning of [...(delivery.plan?.warnings ?? []), ...unrecorded]) warn(warning);

  const restoreTerminal = rememberTerminal();
  const child = await start(launch, delivery, childEnvironment(agent, guard?.env ?? env, run.id));
  relay.attach(child);
  if (drawsOnTerminal(launch)) warnings.hold();
  // Loads while the agent starts. Otherwise its first hook would wait for this, or fall back to the bundle.
  void guard?.load().catch((error: unknown) => warn(`the hook server failed to load: ${String(error)}`));
  using limit = limitTime(launch, relay);
  const end = await ended(child);
  const signal = relay.endingSignal();
  const endedItself = end.signal === null && signal === undefined;
  const how = limit.ending({ exitCode: exitStatus(end, signal), interrupted: !endedItself });
  const session = guard?.session ?? NO_SESSION;
  session.look();
  const survivors = await endTree(run, relay.known());
  restoreTerminal(endedItself);
  await session.finish(how);
  // The sandbox waits for its processes, so that the receipt costs no time.
  const closed = guard?.[Symbol.asyncDispose]();
  const lines = await session.close(how);
  await closed;
  warnings.release();
  warnIfUnguarded(launch, guard);
  warnOfSurvivors(survivors, warn);
  lines.forEach((line) => warn(line));
  sayHowToResume(launch, guard);
  return session.exitCode(how);
}

/** Ends the agent when its time is over. */
function limitTime({ timeoutMs, warn }: Launch, relay: Relay) {
  let because: string | undefined;
  const over = () => {
    because = `more than ${(timeoutMs ?? 0) / 1000} s (--timeout)`;
    warn(`stopped: ${because}`);
    relay.end("SIGTERM");
  };
  const timer = timeoutMs === undefined ? undefined : setTimeout(over, timeoutMs);
  return {
    ending: (how: SessionEnding): SessionEnding =>
      because === undefined ? how : { ...how, exitCode: RUN_EXIT.limit, limit: because },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}

function warnOfSurvivors(survivors: readonly { readonly pid: number }[], warn: Launch["warn"]): void {
  if (survivors.length > 0) warn(`could not stop ${survivors.map(({ pid }) => `process ${pid}`).join(", ")}`);
}

/** The agent's own last line would resume the session without the rules. */
function sayHowToResume(launch: Launch, guard: Guard | undefined): void {
  const { agent, env, cwd, requireSandbox, warn } = launch;
  const session = guard?.conversation?.();
  if (session === undefined || agent.resume === undefined || !isInteractive(launch) || !isatty(2)) return;
  const own = [agent.name, ...(requireSandbox === true ? ["--require-sandbox"] : []), "--", ...agent.resume(session)];
  const words = own.map((word) => (/^[\w./=-]+$/.test(word) ? word : shQuote(word)));
  warn(`to resume this session under the rules: ${calledAs(env, cwd)} ${words.join(" ")}`);
}

const drawsOnTerminal = ({ prompt }: Launch) => prompt === undefined && isatty(2);

/** If an agent worked on a task without calling any hook, it was not guarded. */
function warnIfUnguarded({ agent, prompt, warn }: Launch, guard: Guard | undefined): void {
  if (guard === undefined || prompt === undefined || guard.heard()) return;
  warn(`${agent.title} never called our hooks: any tools it ran were not checked`);
}

/** Updates what `stage` has put into this repository. */
async function refreshStagedHere({ cwd, env, warn }: Launch): Promise<void> {
  const root = gitTop(realpathSync(cwd))?.folder ?? cwd;
  for (const warning of await refreshStaged(root, signalboxHome(env), env)) warn(warning);
}

/** If the agent on PATH is a script that starts signalbox, it would recurse forever. */
function refuseRecursion({ agent, env, warn }: Launch): void {
  const variable = `SIGNALBOX_${agent.name.toUpperCase()}_BINARY`;
  refuseDeepSession(env, warn, {
    where: `${agent.name}, through ${agent.binary} on PATH or ${variable}`,
    fix: `start it outside of the other sessions; if ${agent.binary} is a script that starts signalbox, set ${variable} to the real program`,
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

interface GuardedLaunch extends Guard {
  readonly session: EndedLaunch;
}

type EndedLaunch = Pick<LaunchSession, "look" | "finish" | "close" | "exitCode">;

const NO_SESSION: EndedLaunch = {
  look: () => {},
  finish: () => Promise.resolve(),
  close: () => Promise.resolve([]),
  exitCode: ({ exitCode }) => exitCode,
};

/**
 * Prepares the guard for a launch, or warns that there is none. Subcommands of an agent that run no tools don't need
 * one.
 */
async function guardLaunch(launch: Launch, folder: string): Promise<GuardedLaunch | undefined> {
  const { agent, warn } = launch;
  if (runsNoTools(launch.agent, launch.flags, launch.prompt !== undefined)) {
    refuseCheck(launch, "with these words it runs no tools");
    return undefined;
  }
  // Loaded only for a guarded launch.
  const [{ prepareGuard }, { openLaunchSession }] = await Promise.all([
    import("../hooks/install/prepare.ts"),
    import("./launch-session.ts"),
  ]);
  const hasHooks = findPack(agent.name)?.install !== undefined;
  if (launch.unguarded === true || !hasHooks) {
    if (launch.requireSandbox === true || !hasHooks) await refuseUncontained(launch);
    const because = launch.unguarded === true ? "as you asked" : `${agent.title} has no hooks`;
    refuseCheck(launch, launch.unguarded === true ? "it is started without our hooks" : "it has no hooks");
    warn(`unguarded: ${agent.title}'s tool calls are not checked, ${because}`);
    return undefined;
  }
  const place = openLaunchFolder(signalboxHome(launch.env), folder);
  if (!place.isInHome) warn("cannot write to signalbox's home folder, so calls can be neither recorded nor allowed");
  const id = basename(folder).replace(/\.\d+$/, "");
  try {
    const seat = { isHeadless: !drawsOnTerminal(launch), isInteractive: isInteractive(launch) };
    const session = openLaunchSession({ ...launch, ...seat, id });
    const guard = await prepareGuard({
      ...startOf(launch),
      ...session.hooks,
      id,
      folder: place.folder,
      staged: await stagedCheck(launch.cwd, launch.env),
      texts: await textsFor(agent.name, launch.cwd, launch.env),
    });
    let ending: Promise<void> | undefined;
    const end = async () => {
      try {
        await guard[Symbol.asyncDispose]();
      } catch (error) {
        warn(messageOf(error));
      } finally {
        place[Symbol.dispose]();
      }
    };
    const load = async () => {
      await guard.load();
      await session.load();
    };
    const launched = { ...guard, load, session, [Symbol.asyncDispose]: () => (ending ??= end()) };
    try {
      await session.open(guard, place.folder);
    } catch (error) {
      await launched[Symbol.asyncDispose]();
      throw error;
    }
    return launched;
  } catch (error) {
    place[Symbol.dispose]();
    throw diskError(error, place.folder) ?? error;
  }
}

/** A check is run when the agent's stop hook asks us. */
function refuseCheck({ agent, check }: Launch, because: string): void {
  if (check === undefined) return;
  throw new UserError(`the work of ${agent.title} cannot be checked, because ${because}`, {
    where: "--accept",
    fix: "leave --accept out",
    exitCode: EXIT.refused,
  });
}

/** An agent without our hooks cannot run its commands in a sandbox. Refused where one is required. */
async function refuseUncontained({ agent, cwd, env, requireSandbox, unguarded }: Launch): Promise<void> {
  const { sandboxMode } = await import("../hooks/install/prepare.ts");
  const mode = unguarded === true ? "auto" : await sandboxMode(cwd, env);
  if (requireSandbox !== true && mode !== "workspace" && mode !== "strict") return;
  const why = unguarded === true ? "it is started without our hooks" : "it has no hooks";
  throw new UserError(`a sandbox is required, but commands of ${agent.title} cannot run in one, because ${why}`, {
    where: requireSandbox === true ? "--require-sandbox" : `"sandbox: ${mode}" in the policy`,
    fix:
      requireSandbox === true
        ? `start it without ${unguarded === true ? "--unguarded" : "--require-sandbox"}`
        : 'set "sandbox: auto" in the policy, or start it with --unguarded',
    exitCode: EXIT.refused,
  });
}

/** Whether a person is at the terminal. */
const isInteractive = ({ agent, prompt, flags }: Launch) =>
  prompt === undefined && isatty(0) && isatty(1) && !isUnattended(agent, flags);

function startOf(launch: Launch): Omit<GuardedStart, "folder" | "id" | "staged" | "texts"> {
  return {
    agent: launch.agent.name,
    binary: launch.binary.real,
    cwd: launch.cwd,
    flags: launch.flags,
    env: launch.env,
    interactive: isInteractive(launch),
    deniedTools: launch.deniedTools ?? [],
    requireSandbox: launch.requireSandbox,
    warn: launch.warn,
    onInstalled: launch.proofRun?.onInstalled,
  };
}

/** One start of an agent, as requested by a verb or a proof. */
export interface Launch {
  readonly agent: Agent;
  readonly binary: FoundBinary;
  /** The agent's own flags. */
  readonly flags: readonly string[];
  /** If undefined, the agent gets our terminal or our stdin as it is. */
  readonly prompt?: Buffer | undefined;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  /** The user wants no rules to apply. */
  readonly unguarded?: boolean | undefined;
  /** Don't start where commands cannot run in a sandbox. */
  readonly requireSandbox?: boolean | undefined;
  /** Tools that the guard denies in this launch. */
  readonly deniedTools?: readonly string[] | undefined;
  /** What is checked when the agent wants to stop. */
  readonly check?: CheckOrder | undefined;
  /** The exit code says so when the check has the last word and does not agree. */
  readonly strictExit?: boolean | undefined;
  /** Says at the end how work that nobody checked could be. */
  readonly checkHint?: boolean | undefined;
  /** The agent is ended after this time. */
  readonly timeoutMs?: number | undefined;
  readonly warn: (text: string) => void;
  /** Set when `signalbox prove` starts the agent, with nobody at the terminal. */
  readonly proofRun?: ProofRun | undefined;
}

interface ProofRun {
  /** A file for the agent's output. */
  readonly output: number;
  /** Ends the agent immediately when aborted. */
  readonly signal: AbortSignal;
  readonly onInstalled: (hooks: InstalledHooks) => void;
}

interface HeldWarnings {
  readonly warn: (text: string) => void;
  /** From now on nothing is shown, because the agent draws on the whole terminal. */
  readonly hold: () => void;
  /** Shows what was held back. */
  readonly release: () => void;
}

const MAX_HELD = 100;

/** Warnings that can wait until the agent gives the terminal back. */
export function heldWarnings(warn: (text: string) => void): HeldWarnings {
  let held: Set<string> | undefined;
  return {
    warn: (text) => {
      if (held === undefined) warn(text);
      else if (held.size < MAX_HELD) held.add(text);
    },
    hold: () => void (held ??= new Set()),
    release() {
      const texts = held ?? [];
      held = undefined;
      for (const text of texts) warn(text);
    },
  };
}
