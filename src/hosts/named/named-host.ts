import type { OpenHost } from "../../backplane/host.ts";
import type { Capabilities } from "../../contract/capability.ts";
import type { BackendIdentity } from "../../contract/receipt.ts";
import { nearest } from "../../lib/nearest.ts";
import { UserError } from "../../lib/user-error.ts";
import { cliHost, type Dialect } from "../cli-host.ts";
import { MOCK_BACKEND, MOCK_CAPABILITIES, mockHost } from "../mock/mock.ts";
import { type AgentStarter, guardedStarter } from "../start-agent.ts";

/** A host by its name, and what it says of itself before it is opened. */
export interface NamedHost {
  readonly backend: BackendIdentity;
  readonly capabilities: Capabilities;
  readonly openHost: OpenHost;
}

interface HostParts {
  readonly env: NodeJS.ProcessEnv;
  readonly starter: AgentStarter;
}

/** The hosts that a name opens, each loaded when it is asked for. */
const NAMED: Readonly<Record<string, (parts: HostParts) => Promise<NamedHost>>> = {
  claude: async (parts) => around((await import("../claude/claude.ts")).claudeDialect, parts),
  codex: async (parts) => around((await import("../codex/codex.ts")).codexDialect, parts),
  copilot: async ({ env, starter }) => {
    const { COPILOT_BACKEND, COPILOT_CAPABILITIES, copilotHost } = await import("../copilot/copilot.ts");
    const openHost = copilotHost({ env, starter, version: "1" });
    return { backend: COPILOT_BACKEND, capabilities: COPILOT_CAPABILITIES, openHost };
  },
  mock: async ({ env }) => ({ backend: MOCK_BACKEND, capabilities: MOCK_CAPABILITIES, openHost: mockHost(env) }),
};

const around = (dialect: Dialect, { env, starter }: HostParts): NamedHost => ({
  backend: { id: dialect.agent.name, backend_version: null, adapter_version: "1" },
  capabilities: dialect.capabilities,
  openHost: cliHost(dialect, starter, env),
});

/** Names that `signalbox run` takes. */
export const HOST_NAMES = Object.keys(NAMED);

/**
 * The host of that name. A name without a host is wrong usage; an agent that is not installed is not found (127).
 * Both are said at once, before a run begins.
 * `starter` starts the agents' own programs; without one they are started with our hooks in them.
 */
export async function namedHost(
  name: string,
  env: NodeJS.ProcessEnv,
  starter = guardedStarter(env, () => {}),
): Promise<NamedHost> {
  const open = Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
  if (open !== undefined) return await open({ env, starter });
  const meant = nearest(name, [...HOST_NAMES, "native"]);
  throw new UserError(
    `no host is named ${JSON.stringify(name)}${meant === undefined ? "" : `; did you mean ${meant}?`}`,
    {
      fix: `use ${HOST_NAMES.join(", ")}, native, --acp COMMAND or --sidecar COMMAND; a task of several words goes in quotes`,
    },
  );
}
