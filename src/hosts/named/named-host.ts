import { basename } from "node:path";
import type { HeadlessMode } from "../../agents/pack/records.ts";
import { PACKS } from "../../agents/packs.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { UserError } from "../../lib/text/user-error.ts";
import type { OpenHost } from "../../receipts/host.ts";
import { acpHost } from "../acp/acp.ts";
import { host } from "../copilot/own-host.ts";
import type { HostParts, NamedHost, OwnHost } from "../own-host.ts";
import { cliHost } from "../program/cli-host.ts";
import { HAS_NO_HOOKS, type HostCommand, refuseUncontained, uncontained } from "../program/program.ts";
import { guardedStarter, unheldStarter } from "../program/start-agent.ts";
import { MOCK_BACKEND, MOCK_CAPABILITIES, mockHost } from "./mock.ts";

type Open = (parts: HostParts) => Promise<NamedHost>;

/** Agents with their own host. For all others, their pack's record reader is enough. */
export const OWN_HOSTS: readonly OwnHost[] = [host];

/** The hosts that can be opened by name, each loaded on demand. */
const NAMED: ReadonlyMap<string, Open> = new Map<string, Open>([
  ...[...agentHosts(), ...OWN_HOSTS.map(({ name, open }) => [name, open] as const)].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  ),
  [
    MOCK_BACKEND.id,
    async ({ env }) => ({ backend: MOCK_BACKEND, capabilities: MOCK_CAPABILITIES, openHost: mockHost(env) }),
  ],
]);

/** The agents whose records we can read. */
function agentHosts(): readonly (readonly [string, Open])[] {
  return PACKS.flatMap(({ program, headless, install }) =>
    headless === undefined
      ? []
      : [[program.name, async (parts) => around(await headless(), parts, install !== undefined)] as const],
  );
}

function around(mode: HeadlessMode, { env, starter }: HostParts, hasHooks: boolean): NamedHost {
  const { agent, capabilities } = mode;
  const backend = { id: agent.name, backend_version: null, adapter_version: "1" };
  if (hasHooks) return { backend, capabilities, openHost: cliHost(mode, starter, env) };
  if (starter.requiresSandbox === true) throw uncontained(agent.name, HAS_NO_HOOKS, "--require-sandbox");
  const open = cliHost(mode, unheldStarter(env), env);
  const openHost: OpenHost = async (place) => {
    refuseUncontained(agent.name, HAS_NO_HOOKS, place);
    return await open(place);
  };
  return { backend, capabilities, openHost, hasNoHooks: true };
}

/** The host names that `signalbox run` accepts. */
export const HOST_NAMES = [...NAMED.keys()];

/**
 * Opens a host by name. An unknown name is a usage error; an agent that is not installed exits with 127. Both are
 * reported before a run begins. `starter` starts the agents' own programs; by default, they start with our hooks
 * installed.
 */
export async function namedHost(
  name: string,
  env: NodeJS.ProcessEnv,
  starter = guardedStarter(env, () => {}),
): Promise<NamedHost> {
  const open = NAMED.get(name);
  if (open !== undefined) return await open({ env, starter });
  const meant = nearest(name, [...HOST_NAMES, "native"]);
  throw new UserError(
    `no host is named ${JSON.stringify(name)}${meant === undefined ? "" : `; did you mean ${meant}?`}`,
    {
      fix: `use ${HOST_NAMES.join(", ")}, native, --acp COMMAND or --sidecar COMMAND; a task of several words goes in quotes`,
    },
  );
}

/** Extra options for this program when connected over ACP. */
const acpOptions = async (name: string, env: NodeJS.ProcessEnv) =>
  (await OWN_HOSTS.find((own) => own.name === name)?.acpOptions(env)) ?? {};

/** An ACP agent, named after the command that starts it. */
export function acpByCommand(command: HostCommand, env: NodeJS.ProcessEnv, version: string): OpenHost {
  const name = basename(command.path);
  return async (place) => await acpHost(command, env, { ...(await acpOptions(name, env)), name, version })(place);
}
