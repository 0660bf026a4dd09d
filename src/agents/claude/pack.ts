import type { AgentPack } from "../pack/agent-pack.ts";
import { claudeHooks } from "./hooks.ts";
import { claude } from "./program.ts";
import { claudeManaged } from "./settings.ts";
import { surfaces } from "./surfaces.ts";
import { switchedOff } from "./switched-off.ts";

export const claudePack: AgentPack = {
  program: claude,
  hooks: claudeHooks,
  install: async () => (await import("./install.ts")).claudeInstall,
  managedSwitch: claudeManaged,
  headless: async () => (await import("./records.ts")).headless,
  offline: async () => (await import("./offline.ts")).offline,
  switchedOff,
  surfaces,
  startingFiles: async () => (await import("./starting-files.ts")).startingFiles,
};
