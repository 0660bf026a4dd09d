import type { Agent } from "../agents/pack/agent.ts";
import { AGENTS } from "../agents/registry.ts";
import { AGENT_VARIABLES } from "../agents/resolve.ts";
import { isDangerous, LOADS_CODE } from "../lib/dangerous-variables.ts";

/** Names the run in the environment of every process of it; nested runs are joined by `:`. */
const RUN_VARIABLE = "SIGNALBOX_RUN";

/** A person's additions to what a child must not have: names, separated by commas. */
const DROP_VARIABLE = "SIGNALBOX_DROP_ENV";

/** Said by our own start script to us alone. */
const OWN = ["SIGNALBOX_IGNORED"];

/** Marks of a session of some agent: a child that sees one believes it runs inside that session. */
const SESSION_MARKS = [
  ...AGENTS.flatMap((agent) => agent.sessionVariables),
  "GEMINI_CLI",
  "GEMINI_CLI_NO_RELAUNCH",
  "OPENCODE",
];

/**
 * The environment of an agent: the person's own, without what loads code, marks a session or logs in elsewhere. Search
 * paths such as PYTHONPATH, git's variables and certificates stay: people need them, and set them in their own shell.
 */
export function childEnvironment(agent: Agent, env: NodeJS.ProcessEnv, runId: string): NodeJS.ProcessEnv {
  const otherLogins = AGENTS.flatMap((other) => other.loginVariables).filter(
    (name) => !agent.loginVariables.includes(name),
  );
  const dropped = new Set([...SESSION_MARKS, ...OWN, ...otherLogins]);
  const kept = Object.fromEntries(
    Object.entries(ownLogin(agent, env)).filter(([name]) => !dropped.has(name) && !isDangerous(name, LOADS_CODE)),
  );
  for (const variable of AGENT_VARIABLES) kept[variable] = agent.name;
  kept[RUN_VARIABLE] = [...outerRuns(env), runId].join(":");
  return kept;
}

/** The environment of any other program that works in a run: the person's own, without what loads code or marks a session. */
export function commandEnvironment(env: NodeJS.ProcessEnv, runId: string): NodeJS.ProcessEnv {
  const dropped = new Set([...SESSION_MARKS, ...OWN]);
  const kept = Object.entries(env).filter(([name]) => !dropped.has(name) && !isDangerous(name, LOADS_CODE));
  return { ...Object.fromEntries(kept), [RUN_VARIABLE]: [...outerRuns(env), runId].join(":") };
}

/** The runs that this process is inside of, outermost first. */
export const outerRuns = (env: NodeJS.ProcessEnv) => (env[RUN_VARIABLE] ?? "").split(":").filter((id) => id !== "");

/** Flags that keep the agent's own login from its tools, for the variables that it gets. A sub-command takes none. */
export function secretFlags(agent: Agent, env: NodeJS.ProcessEnv, flags: readonly string[]): string[] {
  const own = ownLogin(agent, env);
  const present = agent.loginVariables.filter((name) => (own[name] ?? "") !== "");
  if (present.length === 0 || agent.subcommands.includes(flags[0] ?? "")) return [];
  return agent.hideFromTools?.(present) ?? [];
}

/** What the person wants dropped goes first, so that no other name brings it back. */
function ownLogin(agent: Agent, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const asked = (env[DROP_VARIABLE] ?? "").split(",").map((name) => name.trim());
  const wanted = Object.fromEntries(Object.entries(env).filter(([name]) => !asked.includes(name)));
  return agent.renameLogin?.(wanted) ?? wanted;
}
