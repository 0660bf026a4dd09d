import type { SwitchedOff } from "../pack/switched-off.ts";

export const switchedOff: readonly SwitchedOff[] = ["settings.json", "config.json"].map((name) => ({
  path: `.copilot/${name}`,
  variable: "COPILOT_HOME",
  off: /"disable(?:_?all_?hooks"\s*:\s*true|d_?hooks"\s*:)/i,
}));
