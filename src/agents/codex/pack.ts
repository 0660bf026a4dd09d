import type { AgentPack } from "../agent-pack.ts";
import { codex } from "./program.ts";
import { surfaces } from "./surfaces.ts";
import { switchedOff } from "./switched-off.ts";

export const codexPack: AgentPack = {
  program: codex,
  headless: async () => (await import("./records.ts")).headless,
  offline: async () => (await import("./offline.ts")).offline,
  switchedOff,
  surfaces,
};
