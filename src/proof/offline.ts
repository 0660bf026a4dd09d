import type { Offline } from "../agents/pack/offline.ts";
import { PACKS } from "../agents/packs.ts";
import { findPack } from "../agents/registry.ts";
import type { AgentName } from "../contract/agent.ts";
import { writeBelow } from "./write-below.ts";

/** The agents that can be tested. */
export const PROVABLE: readonly AgentName[] = PACKS.filter(({ offline }) => offline !== undefined)
  .map(({ program }) => program.name)
  .toSorted();

export const isProvable = (name: string) => PROVABLE.some((known) => known === name);

/** How to run this agent offline. Throws if it cannot be tested. */
export async function offlineOf(name: AgentName): Promise<Offline> {
  const found = await findPack(name)?.offline?.();
  if (found === undefined) throw new Error(`${name} cannot be tested offline`);
  return found;
}

/**
 * The environment variables that make an agent talk only to the model at `url`. Writes the settings it needs into
 * `home`.
 */
export function offlineEnvironment({ provider, settings }: Offline, url: string, home: string): NodeJS.ProcessEnv {
  writeBelow(home, settings?.(url) ?? {});
  return provider(url, home);
}
