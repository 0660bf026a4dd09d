import type { SwitchedOff } from "../switched-off.ts";

/** The feature of Codex switched off, under either of its names: in a table, as a dotted key, or in an inline table. */
export const CODEX_HOOKS_OFF = /^[^#\n]*(?<![\w-])(?:codex_)?hooks["']?\s*=\s*false\b/m;

export const switchedOff: readonly SwitchedOff[] = [
  {
    path: ".codex/config.toml",
    variable: "CODEX_HOME",
    off: new RegExp(`${CODEX_HOOKS_OFF.source}|<session-flags>`, "m"),
  },
];
