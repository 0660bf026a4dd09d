import type { AgentPack } from "../agent-pack.ts";
import { codex } from "./program.ts";

export const codexPack: AgentPack = {
  program: codex,
  headless: async () => (await import("./records.ts")).headless,
};
