import type { AgentPack } from "../pack/agent-pack.ts";
import { codexHooks } from "./hooks.ts";
import { codex } from "./program.ts";
import { codexManaged } from "./settings.ts";
import { surfaces } from "./surfaces.ts";
import { switchedOff } from "./switched-off.ts";

export const codexPack: AgentPack = {
  program: codex,
  hooks: codexHooks,
  install: async () => (await import("./install.ts")).codexInstall,
  managedSwitch: codexManaged,
  headless: async () => (await import("./records.ts")).headless,
  offline: async () => (await import("./offline.ts")).offline,
  switchedOff,
  surfaces,
  startingFiles: async () => (await import("./starting-files.ts")).startingFiles,
};
