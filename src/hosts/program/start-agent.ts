import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, rmSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Agent } from "../../agents/pack/agent.ts";
import { deliverPrompt } from "../../agents/deliver-prompt.ts";
import { findBinary, type FoundBinary } from "../../agents/find-binary.ts";
import type { AgentIdentity, HostJob, HostPlace } from "../../receipts/host.ts";
import { readOrderPolicy } from "../../receipts/run/read-order.ts";
import type { ContainmentFacts } from "../../contract/seal.ts";
import { childEnvironment, secretFlags } from "../../launch/child-environment.ts";
import { guardRun } from "../../launch/guard-run.ts";
import { startFailure } from "../../launch/exit-status.ts";
import { type HostProgram, startProgram, workspaceRoots } from "./program.ts";

/** One headless start of an agent's own program. */
interface AgentStart {
  readonly agent: Agent;
  /** The agent's flags, without the prompt, depending on whether its commands run in a sandbox. */
  readonly flags: (contained: boolean) => readonly string[];
  readonly prompt: string;
  readonly place: HostPlace;
  /** The run's order, and who decides about its calls. */
  readonly job: HostJob;
  /** Receives what the guard leaves out of this start and how the prompt is passed, for the run's record. */
  readonly note: (text: string) => void;
}

/** How a host starts its agent. A guarded launch is one implementation. */
export interface AgentStarter {
  /** True if no tool call runs before the guard has allowed it. */
  readonly holds: boolean;
  /** An agent whose commands cannot run in our sandbox must not start. */
  readonly requiresSandbox?: boolean | undefined;
  /** Flags that let the agent work unattended, as far as this starter makes that safe. */
  readonly flags: (agent: Agent, contained: boolean) => readonly string[];
  readonly start: (request: AgentStart) => Promise<StartedAgent>;
}

/** A running agent. Says where its commands run, also after it has ended. */
export interface StartedAgent extends HostProgram {
  readonly containment?: (() => ContainmentFacts | undefined) | undefined;
}

/** Starts agents unmodified. Nothing of ours is between them and their tools, and receipts say so. */
export function plainStarter(env: NodeJS.ProcessEnv, warn: (text: string) => void = () => {}): AgentStarter {
  return {
    holds: false,
    flags: (agent) => agent.headlessFlags.unguarded,
    start: async (request) => await startWith(request, request.flags(false), findStart(request, env, warn)),
  };
}

/** Starts an agent that has no hooks to hold its calls. The run's record says so. */
export function unheldStarter(env: NodeJS.ProcessEnv): AgentStarter {
  return {
    ...plainStarter(env),
    async start(request) {
      const { agent, note } = request;
      note(`unguarded: ${agent.title}'s tool calls are not checked, because ${agent.title} has no hooks`);
      return await startWith(request, request.flags(false), findStart(request, env, note));
    },
  };
}

/**
 * Starts agents with our hooks installed, so that every call waits for the guard. An agent that cannot be held is not
 * started. Where commands are not contained, the agent's own permission prompts are answered in advance, because the
 * hooks decide first.
 */
export function guardedStarter(
  env: NodeJS.ProcessEnv,
  warn: (text: string) => void,
  requireSandbox = false,
): AgentStarter {
  return {
    holds: true,
    requiresSandbox: requireSandbox,
    flags: ({ headlessFlags }, contained) => (contained ? headlessFlags.contained : headlessFlags.guarded),
    async start(request) {
      const { agent, flags, place, job } = request;
      // The guard must see the order's variables, because some of them switch hooks off.
      const found = findStart(request, env, warn);
      const folder = join(place.folder, "guard");
      // That of an earlier round. Links in it lead to files of the user's, which stay.
      rmSync(folder, { recursive: true, force: true });
      const guard = await guardRun({
        ...found,
        agent,
        flags: flags(false),
        flagsWhen: flags,
        requireSandbox,
        id: place.runId,
        recovery: job.recovery,
        cwd: place.root,
        folder,
        order: readOrderPolicy(job.order),
        alsoJudge: job.judge,
        answered: job.answered,
        warn: request.note,
      });
      const program = await startWith(request, guard.flags, { ...found, env: guard.env });
      void guard.load().catch((error: unknown) => warn(`the hook server failed to load: ${String(error)}`));
      const end = async () => {
        await program[Symbol.asyncDispose]();
        await guard[Symbol.asyncDispose]();
      };
      return { ...program, containment: guard.containment, [Symbol.asyncDispose]: end };
    },
  };
}

interface Found {
  readonly binary: FoundBinary;
  /** The user's environment plus the order's variables. */
  readonly env: NodeJS.ProcessEnv;
}

function findStart(request: AgentStart, own: NodeJS.ProcessEnv, warn: (text: string) => void): Found {
  const env = { ...own, ...request.place.env };
  const binary = findBinary(request.agent, env, workspaceRoots(request.place));
  for (const warning of binary.warnings) warn(warning);
  return { binary, env };
}

async function startWith(request: AgentStart, flags: readonly string[], { binary, env }: Found): Promise<HostProgram> {
  const { agent, prompt, place } = request;
  const own = [...secretFlags(agent, env, flags), ...flags];
  const { argv, stdin, plan } = deliverPrompt({
    agent,
    flags: own,
    prompt: Buffer.from(prompt),
    env,
    folder: place.folder,
  });
  for (const warning of plan.warnings) request.note(warning);
  try {
    const [path, ...leading] = binary.words;
    const command = { path, argv: [...leading, ...argv] };
    const program = await startProgram(command, place.root, childEnvironment(agent, env, place.runId), place.runId);
    if (stdin !== undefined) program.write(stdin);
    program.endInput();
    return program;
  } catch (error) {
    throw startFailure(agent, binary, error);
  }
}

/** Identifies the agent's program by name, version, and content. */
export async function identifyAgent(agent: Agent, env: NodeJS.ProcessEnv, place: HostPlace): Promise<AgentIdentity> {
  const { words, real } = findBinary(agent, env, workspaceRoots(place));
  const [version, sha256] = await Promise.all([askVersion(words, childEnvironment(agent, env, "")), hashOf(real)]);
  return { name: agent.name, version, binary_sha256: sha256 };
}

/** Null if the program can be run but not read. */
async function hashOf(path: string): Promise<string | null> {
  const hash = createHash("sha256");
  try {
    await pipeline(createReadStream(path), hash);
    return hash.digest("hex");
  } catch {
    return null;
  }
}

const VERSION_MS = 15_000;

/** Null if the program does not report its version. */
async function askVersion([path, ...leading]: FoundBinary["words"], env: NodeJS.ProcessEnv): Promise<string | null> {
  return await new Promise((resolve) => {
    const options = { env, timeout: VERSION_MS, killSignal: "SIGKILL" } as const;
    const child = execFile(path, [...leading, "--version"], options, (_, stdout) =>
      resolve(/\d+\.\d+\.\d+(?:\S*\w)?/.exec(stdout)?.[0] ?? null),
    );
    child.stdin?.end();
  });
}
