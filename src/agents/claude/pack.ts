import type { AgentPack } from "../agent-pack.ts";
import { claude } from "./program.ts";

export const claudePack: AgentPack = {
  program: claude,
  headless: async () => (await import("./records.ts")).headless,
};
