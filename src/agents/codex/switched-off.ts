import type { SwitchedOff } from "../pack/switched-off.ts";
import { CODEX_HOOKS_OFF } from "./settings.ts";

export const switchedOff: readonly SwitchedOff[] = [
  {
    path: ".codex/config.toml",
    variable: "CODEX_HOME",
    off: new RegExp(`${CODEX_HOOKS_OFF.source}|<session-flags>`, "m"),
  },
];
