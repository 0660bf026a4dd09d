import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { realpathSync } from "node:fs";
import { isatty } from "node:tty";
import { deliverPrompt, type Delivery } from "../agents/deliver-prompt.ts";
import type { Agent } from "../agents/pack/agent.ts";
import type { Guard } from "../hooks/install/guarded-start.ts";
import { endTree } from "../lib/end-tree.ts";
import { gitTop } from "../lib/git-top.ts";
import { signalboxHome } from "../lib/home-folder.ts";
import { EXIT, UserError } from "../lib/user-error.ts";
import { refreshStaged } from "../staging/refresh.ts";
import { childEnvironment, outerRuns, secretFlags } from "./child-environment.ts";
import { type ChildEnd, exitStatus } from "./exit-status.ts";
import { guardLaunch } from "./guard-launch.ts";
import type { Launch } from "./launch-request.ts";
import { relaySignals } from "./relay-signals.ts";
import { openRun, sweepRuns } from "./run-folder.ts";
import { startFailure } from "./start-failure.ts";
import { keepBlocking, rememberTerminal } from "./terminal.ts";
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
