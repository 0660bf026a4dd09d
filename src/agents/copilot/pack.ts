import type { AgentPack } from "../pack/agent-pack.ts";
import { copilotHooks } from "./hooks.ts";
import { copilotManaged } from "./managed.ts";
import { copilot } from "./program.ts";
import { surfaces } from "./surfaces.ts";
import { switchedOff } from "./switched-off.ts";

export const copilotPack: AgentPack = {
  program: copilot,
  hooks: copilotHooks,
  install: async () => (await import("./install.ts")).copilotInstall,
  managedSwitch: copilotManaged,
  offline: async () => (await import("./offline.ts")).offline,
  switchedOff,
  surfaces,
  startingFiles: async () => (await import("./starting-files.ts")).startingFiles,
  nested: () => import("./normalise-nested.ts"),
};
