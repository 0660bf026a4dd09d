import type { AgentPack, SwitchedOff } from "../pack/agent-pack.ts";
import { copilotHooks } from "./hooks.ts";
import { copilot, copilotManaged } from "./program.ts";
import { surfaces } from "./surfaces.ts";

const switchedOff: readonly SwitchedOff[] = ["settings.json", "config.json"].map((name) => ({
  path: `.copilot/${name}`,
  variable: "COPILOT_HOME",
  off: /"disable(?:_?all_?hooks"\s*:\s*true|d_?hooks"\s*:)/i,
}));

export const copilotPack: AgentPack = {
  program: copilot,
  hooks: copilotHooks,
  install: async () => (await import("./install.ts")).copilotInstall,
  managedSwitch: copilotManaged,
  offline: async () => (await import("./offline.ts")).offline,
  switchedOff,
  surfaces,
  startingFiles: async () => (await import("./trusted-agents.ts")).startingFiles,
  nested: () => import("./normalise-nested.ts"),
};
