import { existsSync } from "node:fs";
import { EXIT, UserError } from "../text/user-error.ts";

/** Identifies the run in the environment of each of its processes. Nested run ids are joined by `:`. */
const RUN_VARIABLE = "SIGNALBOX_RUN";

/** Marks every process of one command of our own engine, so that it can be found wherever it moved. */
export const COMMAND_VARIABLE = "SIGNALBOX_COMMAND";

/** The settings of the launch whose command started this recipe. Set by its hooks, and only for a recipe. */
export const SESSION_VARIABLE = "SIGNALBOX_SESSION";

/** Whether we were called by a command of an agent's session. Verbs that look then write nothing at all. */
export function isInsideSession(env: NodeJS.ProcessEnv): boolean {
  return [RUN_VARIABLE, COMMAND_VARIABLE, SESSION_VARIABLE].some((name) => (env[name] ?? "") !== "");
}

/** Refuses what only a person may do, when a command of a session calls us. */
export function refuseInSession(problem: string, fix: string): void {
  if (!isInsideSession(process.env)) return;
  throw new UserError(problem, {
    where: "SIGNALBOX_RUN or SIGNALBOX_COMMAND is set",
    fix,
    exitCode: EXIT.refused,
  });
}

/** The runs that this process is inside, outermost first. */
export const outerRuns = (env: NodeJS.ProcessEnv) => (env[RUN_VARIABLE] ?? "").split(":").filter((id) => id !== "");

/** The ancestor's variables: how many sessions this one is inside, and how many there may be. */
const DEPTH_VARIABLE = "AMPLIHACK_SESSION_DEPTH";

const LIMIT_VARIABLE = "AMPLIHACK_MAX_DEPTH";

/** At most this many sessions inside each other. `AMPLIHACK_MAX_DEPTH` can only lower it. */
export const MAX_SESSION_DEPTH = 8;

interface SessionDepth {
  /** How many sessions this process is inside. */
  readonly depth: number;
  readonly limit: number;
  /** Never contain a rejected value. */
  readonly warnings: readonly string[];
}

/**
 * Counts the sessions that this process is inside. A depth that is not a number counts as the limit, because ignoring it
 * could let sessions start each other forever. Such a limit is ignored with a warning, because ours is there anyway.
 */
export function sessionDepth(env: NodeJS.ProcessEnv): SessionDepth {
  const warnings: string[] = [];
  const given = countIn(env[LIMIT_VARIABLE]);
  if (given === "invalid") warnings.push(`${LIMIT_VARIABLE} is ignored: it is not a whole number from 0 to 999`);
  const limit = Math.min(typeof given === "number" ? given : MAX_SESSION_DEPTH, MAX_SESSION_DEPTH);
  const told = countIn(env[DEPTH_VARIABLE]);
  if (told === "invalid")
    warnings.push(`${DEPTH_VARIABLE} counts as the limit: it is not a whole number from 0 to 999`);
  const own = outerRuns(env).length;
  return { depth: told === "invalid" ? Math.max(own, limit) : Math.max(own, told ?? 0), limit, warnings };
}

/** A whole number of at most three digits. Empty is the same as unset. */
function countIn(text: string | undefined): number | "invalid" | undefined {
  if (text === undefined || text === "") return undefined;
  return /^\d{1,3}$/.test(text) ? Number(text) : "invalid";
}

/** What the error says about who may have started too many sessions. */
interface Starter {
  readonly where?: string;
  readonly fix?: string;
}

/** Refuses one more session inside as many as there may be. */
export function refuseDeepSession(env: NodeJS.ProcessEnv, warn: (text: string) => void, starter: Starter = {}): void {
  const { depth, limit, warnings } = sessionDepth(env);
  for (const warning of warnings) warn(warning);
  if (depth < limit) return;
  throw new UserError(`sessions are nested too deeply: this would be number ${depth + 1}, and the limit is ${limit}`, {
    where: starter.where ?? `SIGNALBOX_RUN, ${DEPTH_VARIABLE} or ${LIMIT_VARIABLE}`,
    fix: starter.fix ?? "start it from your own terminal, outside of the other sessions",
    exitCode: EXIT.refused,
  });
}

/**
 * The variables that tell a session, started with `env`, what it is inside. Sessions that others have counted take a
 * place in the list of runs too, so that the next session counts all of them.
 */
export function sessionVariables(env: NodeJS.ProcessEnv, id: string): Readonly<Record<string, string>> {
  const { depth, limit } = sessionDepth(env);
  const own = outerRuns(env);
  const others = Array.from({ length: Math.max(0, depth - own.length) }, () => "other");
  return {
    [RUN_VARIABLE]: [...others, ...own, id].join(":"),
    [DEPTH_VARIABLE]: String(depth),
    [LIMIT_VARIABLE]: String(limit),
  };
}

/** The first process of a session's sandbox, seen from inside. */
const INSIDE = "/run/signalbox/init";

/** Says in which form of the sandbox a command is, where nothing is mounted that could show it. */
export const FORM_VARIABLE = "SIGNALBOX_SANDBOX";

export const isInWeakerForm = (): boolean => process.env[FORM_VARIABLE] !== undefined;

/** Whether this process runs inside a session's sandbox. */
export const isInSandbox = (inside = INSIDE): boolean => existsSync(inside) || (inside === INSIDE && isInWeakerForm());

/** Refuses what would have no effect inside a session's sandbox, where the home folder is another one. */
export function refuseInSandbox(problem: string, fix: string, inside = INSIDE): void {
  if (isInSandbox(inside)) throw new UserError(problem, { fix, exitCode: EXIT.refused });
}
