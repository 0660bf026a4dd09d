import type { AgentPack, SwitchedOff } from "../pack/agent-pack.ts";
import { codexHooks } from "./hooks.ts";
import { codex } from "./program.ts";
import { CODEX_HOOKS_OFF, codexManaged } from "./settings.ts";
import { surfaces } from "./surfaces.ts";

const switchedOff: readonly SwitchedOff[] = [
  {
    path: ".codex/config.toml",
    variable: "CODEX_HOME",
    off: new RegExp(`${CODEX_HOOKS_OFF.source}|<session-flags>`, "m"),
  },
];

export const codexPack: AgentPack = {
  program: codex,
  hooks: codexHooks,
  install: async () => (await import("./install.ts")).codexInstall,
  managedSwitch: codexManaged,
  headless: async () => (await import("./records.ts")).headless,
  offline: async () => (await import("./offline.ts")).offline,
  switchedOff,
  surfaces,
  ruleImport: async () => (await import("./rule-import.ts")).ruleImport,
  startingFiles: async () => (await import("./repository.ts")).startingFiles,
};
