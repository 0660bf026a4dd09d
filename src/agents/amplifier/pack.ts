import type { AgentPack } from "../pack/agent-pack.ts";
import { amplifier } from "./program.ts";
import { surfaces } from "./surfaces.ts";

export const amplifierPack: AgentPack = {
  program: amplifier,
  headless: async () => (await import("./records.ts")).headless,
  surfaces,
};
