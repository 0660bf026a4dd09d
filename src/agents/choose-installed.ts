import type { AgentName } from "../contract/agent.ts";
import { EXIT, isUserError, UserError } from "../lib/user-error.ts";
import type { Agent } from "./pack/agent.ts";
import { findBinary } from "./find-binary.ts";
import { resolveAgent } from "./resolve.ts";

interface Search {
  /** The candidates, in the order in which they are tried. */
  readonly agents: readonly Agent[];
  /** Whether an agent may be used although nobody chose it. Default: any. */
  readonly canReplace?: (agent: Agent) => boolean;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Agents that need no installed program, because the environment is configured for them. */
  readonly reachable?: readonly AgentName[];
  readonly warn: (text: string) => void;
}

/**
 * The agent for a task that names none: the folder's active agent if it is installed, otherwise the first that is.
 * An agent that a variable names is never replaced.
 */
export function chooseInstalled({ agents, canReplace = () => true, ...search }: Search): AgentName {
  const { cwd, env, reachable = [], warn } = search;
  const active = resolveAgent(cwd, env);
  active.warnings.forEach(warn);
  if (active.agent === "native") return active.agent;
  const installed = agents.filter((agent) => reachable.includes(agent.name) || isInstalled(agent, cwd, env));
  if (installed.some(({ name }) => name === active.agent)) return active.agent;
  const names = installed.filter(canReplace).map(({ name }) => name);
  const [first] = names;
  if (first === undefined) throw notInstalled("no agent is installed", agents.filter(canReplace));
  if (active.source === "env")
    throw notInstalled(`${active.agent} is the active agent, but it is not installed`, agents, names);
  warn(`no agent was given, using ${first} (installed: ${names.join(", ")})`);
  return first;
}

function isInstalled(agent: Agent, cwd: string, env: NodeJS.ProcessEnv): boolean {
  try {
    findBinary(agent, env, [cwd]);
    return true;
  } catch (error) {
    if (isUserError(error)) return false;
    throw error;
  }
}

function notInstalled(what: string, agents: readonly Agent[], installed: readonly string[] = []): UserError {
  const [name] = installed;
  return new UserError(what, {
    where:
      name === undefined
        ? `tried: ${agents.map(({ binary }) => binary).join(", ")}`
        : `installed: ${installed.join(", ")}`,
    fix:
      name === undefined
        ? `${agents[0]?.install ?? "install one"}; or use the built-in engine: signalbox run native "TASK"`
        : `choose one: signalbox run ${name} "TASK"`,
    exitCode: EXIT.notFound,
  });
}
