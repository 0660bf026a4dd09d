import { homedir } from "node:os";

/** The home folder that an agent with this environment will use. */
export const homeOf = (env: NodeJS.ProcessEnv): string => env["HOME"] ?? homedir();
