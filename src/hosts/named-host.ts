import type { OpenHost } from "../backplane/host.ts";
import { UserError } from "../lib/user-error.ts";
import { cliHost } from "./cli-host.ts";
import { plainStarter } from "./start-agent.ts";
import { mockHost } from "./mock/mock.ts";

/** The hosts that a name opens, each loaded when it is asked for. */
const NAMED: Readonly<Record<string, (env: NodeJS.ProcessEnv) => Promise<OpenHost>>> = {
  claude: async (env) => cliHost((await import("./claude/claude.ts")).claudeDialect, plainStarter(env), env),
  codex: async (env) => cliHost((await import("./codex/codex.ts")).codexDialect, plainStarter(env), env),
  mock: async (env) => mockHost(env),
};

/** Names that `signalbox run` takes. */
export const HOST_NAMES = Object.keys(NAMED);

/** The host of that name. An agent that is not installed is said at once, before a run begins. */
export async function namedHost(name: string, env: NodeJS.ProcessEnv): Promise<OpenHost> {
  const open = Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
  if (open !== undefined) return await open(env);
  throw new UserError(`no run can be given to ${JSON.stringify(name)}`, {
    where: `signalbox run ${name}`,
    fix: `use one of ${HOST_NAMES.join(", ")}, or --acp COMMAND, or --sidecar COMMAND`,
  });
}
