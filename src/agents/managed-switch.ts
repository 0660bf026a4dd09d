import type { ManagedSwitch } from "../contract/agent-install.ts";
import { findPack } from "./find-pack.ts";

/** The administrator's file that would keep our hooks out of this agent, if there is one. */
export function managedSwitch(agent: string, root = "/"): ManagedSwitch | undefined {
  return findPack(agent)?.managedSwitch?.(root);
}
