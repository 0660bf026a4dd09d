import type { AgentPack } from "./pack/agent-pack.ts";
import { PACKS } from "./packs.ts";

/** The pack of the agent of that name, if there is one. */
export const findPack = (name: string): AgentPack | undefined => PACKS.find(({ program }) => program.name === name);
