import type { Offline } from "../agents/pack/offline.ts";
import { PACKS } from "../agents/packs.ts";
import { findPack } from "../agents/registry.ts";
import type { AgentName } from "../contract/agent.ts";
import { writeBelow } from "./write-below.ts";

/** The agents whose rules can be shown to hold. */
export const PROVABLE: readonly AgentName[] = PACKS.filter(({ offline }) => offline !== undefined)
  .map(({ program }) => program.name)
  .toSorted();

export const isProvable = (name: string) => PROVABLE.some((known) => known === name);

/** How the agent of that name is run offline. Throws for one that cannot be tried. */
export async function offlineOf(name: AgentName): Promise<Offline> {
  const found = await findPack(name)?.offline?.();
  if (found === undefined) throw new Error(`${name} cannot be tried offline`);
  return found;
}

/** The variables with which an agent talks to the model at `url` alone. Writes the settings that it needs into `home`. */
export function offlineEnvironment({ provider, settings }: Offline, url: string, home: string): NodeJS.ProcessEnv {
  writeBelow(home, settings?.(url) ?? {});
  return provider(url, home);
}
