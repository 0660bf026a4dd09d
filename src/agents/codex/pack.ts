import type { AgentPack } from "../agent-pack.ts";
import { codexHooks } from "./hooks.ts";
import { codexManaged } from "./managed.ts";
import { codex } from "./program.ts";

export const codexPack: AgentPack = {
  program: codex,
  hooks: codexHooks,
  install: async () => (await import("./install.ts")).codexInstall,
  managedSwitch: codexManaged,
};
