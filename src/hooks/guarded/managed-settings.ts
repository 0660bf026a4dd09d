import { join } from "node:path";
import { readBounded } from "../../lib/read-bounded.ts";
import { disarmed } from "./disarmed.ts";
import { settingsText } from "./read-settings.ts";

const MOST_SETTINGS = 4 * 1024 * 1024;
/** Copilot takes these keys in other spellings too. */
const MANAGED_ONLY = /"(?:disable_?all_?hooks|allow_?managed_?hooks_?only)"\s*:\s*true/i;

/** The feature of Codex switched off, under either of its names: in a table, as a dotted key, or in an inline table. */
export const CODEX_HOOKS_OFF = /^[^#\n]*(?<![\w-])(?:codex_)?hooks["']?\s*=\s*false\b/m;

/** Files of an administrator that stand over ours, and the words in them that keep other people's hooks out. */
const MANAGED: Readonly<Record<string, readonly { readonly path: string; readonly off: RegExp }[]>> = {
  claude: [
    { path: "/etc/claude-code/managed-settings.json", off: MANAGED_ONLY },
    { path: "/Library/Application Support/ClaudeCode/managed-settings.json", off: MANAGED_ONLY },
  ],
  codex: ["requirements.toml", "managed_config.toml"].flatMap((name) =>
    [/^\s*["']?allow_managed_hooks_only["']?\s*=\s*true/m, CODEX_HOOKS_OFF].map((off) => ({
      path: `/etc/codex/${name}`,
      off,
    })),
  ),
  copilot: [{ path: "/etc/github-copilot/managed-settings.json", off: MANAGED_ONLY }],
};

/** The administrator's file that would keep our hooks out of this agent, if there is one. */
export function managedSwitch(agent: string, root = "/"): string | undefined {
  return MANAGED[agent]?.find(({ path, off }) => off.test(textOf(join(root, path))))?.path;
}

export function refuseManaged(agent: string): void {
  const file = managedSwitch(agent);
  if (file === undefined) return;
  const fix = "ask its administrator to allow hooks of users, or say --unguarded";
  throw disarmed("this machine's managed settings", file, fix);
}

function textOf(path: string): string {
  try {
    return settingsText(readBounded(path, MOST_SETTINGS).bytes);
  } catch {
    // None there, or none that this user may read: the agent runs as the same user.
    return "";
  }
}
