import type { SwitchedOff } from "../pack/switched-off.ts";

const OFF = /"(?:disableAllHooks"\s*:\s*true|CLAUDE_CODE_(?:SIMPLE|SAFE_MODE|SHELL_PREFIX)"\s*:)/;

export const switchedOff: readonly SwitchedOff[] = [
  { path: ".claude/settings.json", off: OFF },
  { path: ".claude.json", off: OFF },
];
