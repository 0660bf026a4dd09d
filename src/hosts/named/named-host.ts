import type { HeadlessMode } from "../../agents/pack/headless-mode.ts";
import { PACKS } from "../../agents/packs.ts";
import { nearest } from "../../lib/nearest.ts";
import { UserError } from "../../lib/user-error.ts";
import { cliHost } from "../program/cli-host.ts";
import { MOCK_BACKEND, MOCK_CAPABILITIES, mockHost } from "../mock/mock.ts";
import type { HostParts, NamedHost } from "../own-host.ts";
import { OWN_HOSTS } from "./own-hosts.ts";
import { guardedStarter } from "../program/start-agent.ts";

type Open = (parts: HostParts) => Promise<NamedHost>;

/** The hosts that a name opens, each loaded when it is asked for. */
const NAMED: ReadonlyMap<string, Open> = new Map<string, Open>([
  ...[...agentHosts(), ...OWN_HOSTS.map(({ name, open }) => [name, open] as const)].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  ),
  [
    MOCK_BACKEND.id,
    async ({ env }) => ({ backend: MOCK_BACKEND, capabilities: MOCK_CAPABILITIES, openHost: mockHost(env) }),
  ],
]);

/** The agents whose records can be read. */
function agentHosts(): readonly (readonly [string, Open])[] {
  return PACKS.flatMap(({ program, headless }) =>
    headless === undefined ? [] : [[program.name, async (parts) => around(await headless(), parts)] as const],
  );
}

const around = (mode: HeadlessMode, { env, starter }: HostParts): NamedHost => ({
  backend: { id: mode.agent.name, backend_version: null, adapter_version: "1" },
  capabilities: mode.capabilities,
  openHost: cliHost(mode, starter, env),
});

/** Names that `signalbox run` takes. */
export const HOST_NAMES = [...NAMED.keys()];

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
