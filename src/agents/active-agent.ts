import { lstatSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ActiveAgent, AgentName } from "../contract/agent.ts";
import { readBounded } from "../lib/files/read-file.ts";
import { jsonDepth, parseJson } from "../lib/json/parse-json.ts";
import { isInside } from "../lib/path/inside.ts";
import { errorCode, EXIT, isMissing, isUserError, UserError } from "../lib/text/user-error.ts";
import { findBinary } from "./find-binary.ts";
import type { Agent } from "./pack/agent.ts";
import { isAgentName } from "./packs.ts";

/** The variables that name the active agent; the first valid one wins. They are only read here. */
export const AGENT_VARIABLES = ["SIGNALBOX_AGENT", "AMPLIHACK_AGENT_BINARY"] as const;

const DEFAULT_AGENT: AgentName = "copilot";

const MAX_FOLDERS = 32;

const MAX_CHARACTERS = 32;

/**
 * The active agent of a folder: from the environment, otherwise the nearest launcher context, otherwise the default.
 * Every rejected value produces one warning with the source and the reason, but never the value.
 */
export function resolveAgent(cwd: string, env: NodeJS.ProcessEnv, now = new Date()): ActiveAgent {
  const warnings: string[] = [];

  for (const variable of AGENT_VARIABLES) {
    const raw = env[variable];
    if (raw === undefined || raw === "") continue;
    const value = acceptAgentName(raw);
    if (value.agent !== undefined) return { agent: value.agent, source: "env", warnings };
    warnings.push(`${variable} is ignored: ${value.reason}`);
  }

  const found = nearestContextFile(cwd);
  if (found !== undefined) {
    const context = readLauncherContext(found, now);
    const value = "reason" in context ? context : acceptAgentName(context.launcher);
    if (value.agent !== undefined) return { agent: value.agent, source: "file", warnings };
    warnings.push(`${join(found, CONTEXT_FILE)} is ignored: ${value.reason}`);
  }
  return { agent: DEFAULT_AGENT, source: "default", warnings };
}

type Accepted = { readonly agent: AgentName } | { readonly agent?: undefined; readonly reason: string };

/** Validates a name from outside. */
export function acceptAgentName(raw: string): Accepted {
  if (/[/\\]|\.\./.test(raw)) return { reason: "it contains a path" };
  if (/\p{Cc}/u.test(raw)) return { reason: "it contains a control character" };
  const name = raw.trim().toLowerCase();
  if (/\s/.test(name)) return { reason: "it contains white space" };
  if (name.length > MAX_CHARACTERS) return { reason: `it is longer than ${MAX_CHARACTERS} characters` };
  return isAgentName(name) ? { agent: name } : { reason: "it is not a known agent" };
}

/** The nearest folder, upwards, with a context file of any kind. The search stops at the top of a repository. */
function nearestContextFile(cwd: string): string | undefined {
  let folder: string;
  try {
    folder = realpathSync(cwd);
  } catch {
    return undefined;
  }
  for (let looked = 0; looked < MAX_FOLDERS; looked++) {
    if (exists(join(folder, CONTEXT_FILE))) return folder;
    if (exists(join(folder, ".git")) || dirname(folder) === folder) return undefined;
    folder = dirname(folder);
  }
  return undefined;
}

/** An inaccessible path counts as existing: an unreadable folder must not let a file further up win. */
function exists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    return !isMissing(error);
  }
}

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

/** The file in which a launch records its agent, relative to the top of the repository. */
export const CONTEXT_FILE = join(".claude", "runtime", "launcher_context.json");

const MAX_BYTES = 65_536;

const MAX_DEPTH = 8;

const OLDEST_MS = 24 * 60 * 60 * 1000;

const FUTURE_MS = 5 * 60 * 1000;

type Read = { readonly launcher: string } | { readonly agent?: undefined; readonly reason: string };

/** The launcher named in the context file of `folder`, or why the file is treated as absent. */
function readLauncherContext(folder: string, now: Date): Read {
  const path = join(folder, CONTEXT_FILE);
  try {
    const real = realpathSync(path);
    const escapes = !isInside(real, realpathSync(dirname(path))) || !isInside(real, realpathSync(folder));
    if (escapes) return { reason: "it is a link out of its folder" };
    const file = readBounded(real, MAX_BYTES);
    return parseContext(file.bytes, file.modified, now);
  } catch (error) {
    return { reason: whyUnreadable(error) };
  }
}

function parseContext(bytes: Buffer, modified: Date, now: Date): Read {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  if (jsonDepth(text) > MAX_DEPTH) return { reason: `it is nested more than ${MAX_DEPTH} levels deep` };
  const value: unknown = parseJson(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { reason: "it is not a JSON object" };

  const launcher = "launcher" in value ? value.launcher : undefined;
  if (typeof launcher !== "string") return { reason: "it has no launcher" };
  const timestamp = ("timestamp" in value ? rfc3339(value.timestamp) : undefined) ?? modified;
  const age = now.getTime() - timestamp.getTime();
  if (age > OLDEST_MS) return { reason: "it is older than 24 hours" };
  if (age < -FUTURE_MS) return { reason: "it is dated in the future" };
  return { launcher };
}

function rfc3339(value: unknown): Date | undefined {
  if (typeof value !== "string" || !RFC_3339.test(value)) return undefined;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

/** Our own wording, because a parser's message would quote the file. */
function whyUnreadable(error: unknown): string {
  const code = errorCode(error);
  if (error instanceof SyntaxError) return "it is not valid JSON";
  if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return "it is not valid UTF-8";
  if (code !== undefined) return `it cannot be read (${code})`;
  return error instanceof Error ? `it is ${error.message}` : "it cannot be read";
}
