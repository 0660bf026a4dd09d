import type { Agent } from "../agents/agent.ts";
import { AGENTS } from "../agents/registry.ts";
import { AGENT_VARIABLES } from "../agents/resolve.ts";

/** Names the run in the environment of every process of it; nested runs are joined by `:`. */
const RUN_VARIABLE = "SIGNALBOX_RUN";

/** A person's additions to what a child must not have: names, separated by commas. */
const DROP_VARIABLE = "SIGNALBOX_DROP_ENV";

/** Each of these loads code into a program that did not ask for it. */
const CODE_LOADERS = [
  "NODE_OPTIONS",
  "NODE_REPL_EXTERNAL_MODULE",
  "BASH_ENV",
  "ENV",
  "PROMPT_COMMAND",
  "LD_PRELOAD",
  "LD_AUDIT",
  "DYLD_INSERT_LIBRARIES",
  "PERL5OPT",
  "RUBYOPT",
  "PYTHONSTARTUP",
];

/** Marks of a session of some agent: a child that sees one believes it runs inside that session. */
const SESSION_MARKS = [
  "CLAUDECODE",
  "CLAUDE_CODE_ENTRYPOINT",
  "CLAUDE_CODE_SESSION",
  "CLAUDE_CODE_SESSION_ID",
  "CLAUDE_CODE_SSE_PORT",
  "CLAUDE_CODE_MESSAGING_SOCKET",
  "CLAUDE_CODE_MESSAGING_TOKEN",
  "CLAUDE_SESSION_ID",
  "CLAUDE_PROJECT_DIR",
  "CODEX_SANDBOX",
  "CODEX_SANDBOX_NETWORK_DISABLED",
  "CODEX_THREAD_ID",
  "COPILOT_AGENT",
  "COPILOT_CLI",
  "GITHUB_COPILOT_AGENT",
  "GEMINI_CLI",
  "GEMINI_CLI_NO_RELAUNCH",
  "OPENCODE",
  "AMPLIFIER_SESSION",
];

/** The environment of an agent: the person's own, without what loads code, marks a session or logs in elsewhere. */
export function childEnvironment(agent: Agent, env: NodeJS.ProcessEnv, runId: string): NodeJS.ProcessEnv {
  const asked = (env[DROP_VARIABLE] ?? "").split(",").map((name) => name.trim());
  const otherLogins = AGENTS.flatMap((other) => other.loginVariables).filter(
    (name) => !agent.loginVariables.includes(name),
  );
  const dropped = new Set([...CODE_LOADERS, ...SESSION_MARKS, ...otherLogins, ...asked]);

  const own = agent.renameLogin?.(env) ?? env;
  const kept = Object.fromEntries(Object.entries(own).filter(([name]) => !dropped.has(name)));
  for (const variable of AGENT_VARIABLES) kept[variable] = agent.name;
  const outer = env[RUN_VARIABLE];
  kept[RUN_VARIABLE] = outer === undefined || outer === "" ? runId : `${outer}:${runId}`;
  return kept;
}

/** Flags that keep the agent's own login from its tools, for the variables that it gets. A sub-command takes none. */
export function secretFlags(agent: Agent, env: NodeJS.ProcessEnv, flags: readonly string[]): string[] {
  const own = agent.renameLogin?.(env) ?? env;
  const present = agent.loginVariables.filter((name) => (own[name] ?? "") !== "");
  if (present.length === 0 || agent.subcommands.includes(flags[0] ?? "")) return [];
  return agent.hideFromTools?.(present) ?? [];
}
