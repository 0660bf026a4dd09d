import { DEFAULT_PRESET, STOPPING, WORKING } from "./default.ts";
import { NO_TOOL_LISTS, type Preset } from "./preset.ts";
import { READING } from "./reading.ts";

const NO_NETWORK = { ...DEFAULT_PRESET.network, mode: "none", allow: [], unlisted: "deny" } as const;

/**
 * For when there is nobody to ask: anything not allowed is denied. No host is listed, but a command that a rule names
 * may still use the project's registry and remotes, as `npm ci` does.
 */
const CI_PRESET: Preset = {
  ...DEFAULT_PRESET,
  id: "ci",
  rules: [...READING, ...WORKING, ...STOPPING],
  paths: { ...DEFAULT_PRESET.paths, outside: "deny", outsideForTools: "deny" },
  network: { ...NO_NETWORK, mode: "allowlist" },
  fallback: "deny",
  interactive: false,
};

/** Read-only: no file changes, no workspace programs, no network. */
const READ_ONLY_PRESET: Preset = {
  ...CI_PRESET,
  id: "read-only",
  rules: [...READING, ...STOPPING],
  network: NO_NETWORK,
  paths: { ...CI_PRESET.paths, writeRoots: ["/dev/null"], denyWrite: ["**"] },
};

/** No grants at all; the floors still apply. */
const NO_PRESET: Preset = {
  ...DEFAULT_PRESET,
  id: "none",
  rules: [],
  tools: NO_TOOL_LISTS,
  paths: { ...DEFAULT_PRESET.paths, readRoots: ["."], writeRoots: ["."], denyRead: [] },
  network: { ...NO_NETWORK, allow: [] },
};

export const PRESETS = {
  default: DEFAULT_PRESET,
  "read-only": READ_ONLY_PRESET,
  ci: CI_PRESET,
  none: NO_PRESET,
} as const;

export type PresetName = keyof typeof PRESETS;

/** From most open to strictest. A workspace file may only move to the right. */
export const PRESET_STRICTNESS: readonly PresetName[] = ["default", "ci", "read-only", "none"];
