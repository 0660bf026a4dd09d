import { basename } from "node:path";
import type { HeadlessMode } from "../agents/pack/records.ts";
import { PACKS } from "../agents/packs.ts";
import type { AgentName } from "../contract/agent.ts";
import type { Capabilities } from "../contract/capability.ts";
import type { BackendIdentity } from "../contract/receipt.ts";
import { nearest } from "../lib/text/nearest.ts";
import { UserError } from "../lib/text/user-error.ts";
import type { OpenHost } from "../receipts/host.ts";
import { ACP_CAPABILITIES, acpHost } from "./acp/acp.ts";
import { isReachable, OWN_HOST, openOwnHost, ownAcpOptions } from "./copilot/own-host.ts";
import { MOCK_BACKEND, MOCK_CAPABILITIES, mockHost } from "./mock.ts";
import { cliHost } from "./program/cli-host.ts";
import { type HostCommand, refuseUncontained, RUNS_ITSELF, uncontained } from "./program/program.ts";
import { type AgentStarter, guardedStarter, plainStarter, unheldStarter } from "./program/start-agent.ts";

/** A host, with what is known about it before it is opened. */
export interface NamedHost {
  readonly backend: BackendIdentity;
  readonly capabilities: Capabilities;
  readonly openHost: OpenHost;
  /** Why its commands cannot run in our sandbox, if they cannot. */
  readonly uncontainable?: string;
}

/** How a host starts an agent's own program: with our hooks installed, unless it says otherwise. */
interface StartOptions {
  readonly unguarded?: boolean;
  readonly requireSandbox?: boolean;
  readonly warn?: (text: string) => void;
}

/** The agents whose records we can read. */
const READABLE = PACKS.flatMap(({ program, headless, install }) =>
  headless === undefined ? [] : [{ name: program.name, headless, hasHooks: install !== undefined }],
);

/** The host names that `signalbox run` accepts. */
export const HOST_NAMES: readonly string[] = [
  ...[...READABLE.map(({ name }) => name), OWN_HOST].toSorted((one, other) => (one < other ? -1 : 1)),
  MOCK_BACKEND.id,
];

/** The hosts that the environment says how to reach without the agent's own program. */
export const reachableHosts = async (env: NodeJS.ProcessEnv): Promise<readonly AgentName[]> =>
  (await isReachable(env)) ? [OWN_HOST] : [];

/**
 * Opens a host by name. An unknown name is a usage error; an agent that is not installed exits with 127. Both are
 * reported before a run begins.
 */
export async function namedHost(name: string, env: NodeJS.ProcessEnv, start: StartOptions = {}): Promise<NamedHost> {
  const { unguarded = false, requireSandbox = false, warn = () => {} } = start;
  const starter = unguarded ? plainStarter(env, warn) : guardedStarter(env, warn, requireSandbox);
  if (name === MOCK_BACKEND.id)
    return { backend: MOCK_BACKEND, capabilities: MOCK_CAPABILITIES, openHost: mockHost(env) };
  if (name === OWN_HOST) return await openOwnHost(env, starter);
  const agent = READABLE.find((each) => each.name === name);
  if (agent !== undefined) return around(await agent.headless(), starter, env, agent.hasHooks);
  const meant = nearest(name, [...HOST_NAMES, "native"]);
  throw new UserError(
    `no host is named ${JSON.stringify(name)}${meant === undefined ? "" : `; did you mean ${meant}?`}`,
    {
      fix: `use ${HOST_NAMES.join(", ")}, native, --acp COMMAND or --sidecar COMMAND; a task of several words goes in quotes`,
    },
  );
}

const HAS_NO_HOOKS = "it has no hooks";

function around(mode: HeadlessMode, starter: AgentStarter, env: NodeJS.ProcessEnv, hasHooks: boolean): NamedHost {
  const { agent, capabilities } = mode;
  const backend = { id: agent.name, backend_version: null, adapter_version: "1" };
  if (hasHooks) return { backend, capabilities, openHost: cliHost(mode, starter, env) };
  if (starter.requiresSandbox === true) throw uncontained(agent.name, HAS_NO_HOOKS, "--require-sandbox");
  const open = cliHost(mode, unheldStarter(env), env);
  const openHost: OpenHost = async (place) => {
    refuseUncontained(agent.name, HAS_NO_HOOKS, place.policy);
    return await open(place);
  };
  return { backend, capabilities, openHost, uncontainable: HAS_NO_HOOKS };
}

/** An ACP agent, named after the command that starts it. */
export function acpByCommand(command: HostCommand, env: NodeJS.ProcessEnv, version: string): NamedHost {
  const name = basename(command.path);
  return {
    backend: { id: name, backend_version: null, adapter_version: "1" },
    capabilities: ACP_CAPABILITIES,
    openHost: async (place) => {
      const own = name === OWN_HOST ? await ownAcpOptions(env) : {};
      return await acpHost(command, env, { ...own, name, version })(place);
    },
    uncontainable: RUNS_ITSELF,
  };
}
