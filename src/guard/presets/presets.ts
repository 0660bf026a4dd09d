import type { Rule } from "../../contract/policy.ts";
import { DEFAULT_PRESET, LOOKING_OUTSIDE, WORKING } from "./default.ts";
import { PLAIN_RECIPES, withOwnCommands } from "./own-commands.ts";
import { NO_TOOL_LISTS, type Preset } from "./preset.ts";
import { READING } from "./reading.ts";
import { STOPPING } from "./stopping.ts";

const NO_NETWORK = { ...DEFAULT_PRESET.network, mode: "none", allow: [], unlisted: "deny" } as const;

/**
 * For when there is nobody to ask: anything not allowed is denied, and nothing runs outside the sandbox. No host is
 * listed. Without a sandbox, a command that a rule names may still use the project's registry and remotes, as `npm ci`
 * does.
 */
const CI_PRESET: Preset = {
  ...DEFAULT_PRESET,
  id: "ci",
  rules: [
    ...READING,
    ...WORKING,
    ...LOOKING_OUTSIDE.map((rule): Rule => ({ ...rule, contained: undefined })),
    ...STOPPING,
  ],
  paths: { ...DEFAULT_PRESET.paths, outside: "deny", outsideForTools: "deny" },
  network: { ...NO_NETWORK, mode: "allowlist" },
  fallback: "deny",
  interactive: false,
  sandbox: "workspace",
};

/**
 * Read-only: no file changes, no network. In a sandbox any program may run, because the workspace is read-only there;
 * without one, no program of the workspace does.
 */
const READ_ONLY_PRESET: Preset = {
  ...CI_PRESET,
  id: "read-only",
  rules: [...READING, ...STOPPING],
  network: NO_NETWORK,
  sandbox: "auto",
  paths: { ...CI_PRESET.paths, writeRoots: ["/dev/null"], denyWrite: ["**"] },
};

/** No grants at all, except to look at what signalbox itself says; the floors still apply. */
const NO_PRESET: Preset = {
  ...DEFAULT_PRESET,
  id: "none",
  rules: [],
  tools: NO_TOOL_LISTS,
  paths: { ...DEFAULT_PRESET.paths, readRoots: ["."], writeRoots: ["."], denyRead: [] },
  network: { ...NO_NETWORK, allow: [] },
};

const WITH_RECIPES: Preset = { ...DEFAULT_PRESET, rules: [...DEFAULT_PRESET.rules, ...PLAIN_RECIPES] };

export const PRESETS = {
  default: withOwnCommands(WITH_RECIPES, true),
  "read-only": withOwnCommands(READ_ONLY_PRESET, false),
  ci: withOwnCommands(CI_PRESET, true),
  none: withOwnCommands(NO_PRESET, false),
} as const;

export type PresetName = keyof typeof PRESETS;

/** From most open to strictest. A workspace file may only move to the right. */
export const PRESET_STRICTNESS: readonly PresetName[] = ["default", "ci", "read-only", "none"];
