/** Identifies the run in the environment of each of its processes. Nested run ids are joined by `:`. */
export const RUN_VARIABLE = "SIGNALBOX_RUN";

/** Marks every process of one command of our own engine, so that it can be found wherever it moved. */
export const COMMAND_VARIABLE = "SIGNALBOX_COMMAND";

/** The settings of the launch whose command started this recipe. Set by its hooks, and only for a recipe. */
export const SESSION_VARIABLE = "SIGNALBOX_SESSION";

/** Whether we were called by a command of an agent's session. Verbs that look then write nothing at all. */
export function isInsideSession(env: NodeJS.ProcessEnv): boolean {
  return [RUN_VARIABLE, COMMAND_VARIABLE, SESSION_VARIABLE].some((name) => (env[name] ?? "") !== "");
}

/** The runs that this process is inside, outermost first. */
export const outerRuns = (env: NodeJS.ProcessEnv) => (env[RUN_VARIABLE] ?? "").split(":").filter((id) => id !== "");
