import type { Agent } from "../agents/pack/agent.ts";
import { AGENTS } from "../agents/packs.ts";
import { AGENT_VARIABLES } from "../agents/active-agent.ts";
import { isDangerous, LOADS_CODE } from "../lib/process/dangerous-variables.ts";
import { sessionVariables } from "../lib/process/inside-session.ts";

/** The user's list of extra variables to drop, separated by commas. */
const DROP_VARIABLE = "SIGNALBOX_DROP_ENV";

/** Set by our own start script and only for us. */
const OWN = ["SIGNALBOX_IGNORED"];

/** Variables that mark an agent's session. A child that sees one thinks it is running inside that session. */
const SESSION_MARKS = [...AGENTS.flatMap((agent) => agent.sessionVariables), "OPENCODE"];

/**
 * The environment of an agent: the user's own, without variables that load code, mark a session, or log in elsewhere.
 * Keeps search paths such as PYTHONPATH, git's variables, and certificates, because users need them and set them in
 * their own shell.
 */
export function childEnvironment(agent: Agent, env: NodeJS.ProcessEnv, runId: string): NodeJS.ProcessEnv {
  const otherLogins = AGENTS.flatMap((other) => other.loginVariables).filter(
    (name) => !agent.loginVariables.includes(name),
  );
  const dropped = new Set([...SESSION_MARKS, ...OWN, ...otherLogins]);
  const child = Object.fromEntries(
    Object.entries(ownLogin(agent, env)).filter(([name, value]) => !dropped.has(name) && !loadsCode(name, value)),
  );
  for (const variable of AGENT_VARIABLES) child[variable] = agent.name;
  return { ...child, ...sessionVariables(env, runId) };
}

/** Without a value it loads nothing, and a repository's file cannot set it any more. */
const loadsCode = (name: string, value: string | undefined) => isDangerous(name, LOADS_CODE) && value !== "";

/**
 * The environment of any other program in a run: the user's own, without variables that load code or mark a session.
 */
export function commandEnvironment(env: NodeJS.ProcessEnv, runId: string): NodeJS.ProcessEnv {
  const dropped = new Set([...SESSION_MARKS, ...OWN]);
  const inherited = Object.entries(env).filter(([name]) => !dropped.has(name) && !isDangerous(name, LOADS_CODE));
  return { ...Object.fromEntries(inherited), ...sessionVariables(env, runId) };
}

/** Flags that hide the agent's own login variables from its tools. A subcommand gets none. */
export function secretFlags(agent: Agent, env: NodeJS.ProcessEnv, flags: readonly string[]): string[] {
  const own = ownLogin(agent, env);
  const present = agent.loginVariables.filter((name) => (own[name] ?? "") !== "");
  if (present.length === 0 || agent.subcommands.includes(flags[0] ?? "")) return [];
  return agent.hideFromTools?.(present) ?? [];
}

/** Drops the user's list first, so that no renaming brings a dropped variable back. */
function ownLogin(agent: Agent, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const droppedNames = (env[DROP_VARIABLE] ?? "").split(",").map((name) => name.trim());
  const remaining = Object.fromEntries(Object.entries(env).filter(([name]) => !droppedNames.includes(name)));
  return agent.renameLogin?.(remaining) ?? remaining;
}
