import type { AgentPack } from "../agent-pack.ts";
import { claude } from "./program.ts";
import { surfaces } from "./surfaces.ts";
import { switchedOff } from "./switched-off.ts";

export const claudePack: AgentPack = {
  program: claude,
  headless: async () => (await import("./records.ts")).headless,
  offline: async () => (await import("./offline.ts")).offline,
  switchedOff,
  surfaces,
};
