import type { AgentPack } from "../agent-pack.ts";
import { copilotHooks } from "./hooks.ts";
import { copilotManaged } from "./managed.ts";
import { copilot } from "./program.ts";

export const copilotPack: AgentPack = {
  program: copilot,
  hooks: copilotHooks,
  install: async () => (await import("./install.ts")).copilotInstall,
  managedSwitch: copilotManaged,
};
