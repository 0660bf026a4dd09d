import type { AgentPack, SwitchedOff } from "../pack/agent-pack.ts";
import { claudeHooks } from "./hooks.ts";
import { claude } from "./program.ts";
import { claudeManaged } from "./settings.ts";
import { surfaces } from "./surfaces.ts";

const OFF = /"(?:disableAllHooks"\s*:\s*true|CLAUDE_CODE_(?:SIMPLE|SAFE_MODE|SHELL_PREFIX)"\s*:)/;

const switchedOff: readonly SwitchedOff[] = [
  { path: ".claude/settings.json", off: OFF },
  { path: ".claude.json", off: OFF },
];

export const claudePack: AgentPack = {
  program: claude,
  hooks: claudeHooks,
  install: async () => (await import("./install.ts")).claudeInstall,
  managedSwitch: claudeManaged,
  headless: async () => (await import("./records.ts")).headless,
  offline: async () => (await import("./offline.ts")).offline,
  switchedOff,
  surfaces,
  ruleImport: async () => (await import("./rule-import.ts")).ruleImport,
  startingFiles: async () => (await import("./settings.ts")).startingFiles,
};
