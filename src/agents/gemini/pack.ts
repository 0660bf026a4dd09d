import type { AgentPack } from "../pack/agent-pack.ts";
import { givenSurfaces } from "./given.ts";
import { geminiHooks } from "./hooks.ts";
import { geminiManaged } from "./settings.ts";
import { gemini } from "./program.ts";

export const geminiPack: AgentPack = {
  program: gemini,
  hooks: geminiHooks,
  install: async () => (await import("./install.ts")).geminiInstall,
  managedSwitch: geminiManaged,
  givenSurfaces,
  headless: async () => (await import("./records.ts")).headless,
  offline: async () => (await import("./offline.ts")).offline,
};
