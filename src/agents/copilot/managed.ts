import type { ManagedSwitch } from "../../contract/agent-install.ts";
import { findManaged } from "../install/refuse.ts";

const FILES = [
  {
    path: "/etc/github-copilot/managed-settings.json",
    // Copilot accepts several spellings of these keys.
    off: /"(?:disable_?all_?hooks|allow_?managed_?hooks_?only)"\s*:\s*true/i,
  },
];

export const copilotManaged = (root: string): ManagedSwitch | undefined => findManaged(FILES, root);
