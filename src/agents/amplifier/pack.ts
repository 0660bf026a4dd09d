import type { AgentPack } from "../pack/agent-pack.ts";
import { amplifier } from "./program.ts";
import { surfaces } from "./surfaces.ts";

export const amplifierPack: AgentPack = {
  program: amplifier,
  surfaces,
};
