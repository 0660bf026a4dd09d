import type { AgentPack } from "../agent-pack.ts";
import { claudeHooks } from "./hooks.ts";
import { claudeManaged } from "./managed.ts";
import { claude } from "./program.ts";

export const claudePack: AgentPack = {
  program: claude,
  hooks: claudeHooks,
  install: async () => (await import("./install.ts")).claudeInstall,
  managedSwitch: claudeManaged,
};
