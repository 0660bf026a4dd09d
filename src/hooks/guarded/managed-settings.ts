import { join } from "node:path";
import { CODEX_HOOKS_OFF } from "../../agents/codex/switched-off.ts";
import { readBounded } from "../../lib/read-bounded.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { claudeManaged } from "./claude-managed.ts";
import { disarmed } from "./disarmed.ts";
import { settingsText } from "./read-settings.ts";

const MAX_SETTINGS = 4 * 1024 * 1024;

/** A file of an administrator with which our hooks would not run, or of which nobody can say so. */
export interface ManagedSwitch {
  readonly file: string;
  readonly state: "off" | "unread";
}

/** Files of an administrator that stand over ours, and the words in them that keep other people's hooks out. */
const MANAGED: Readonly<Record<string, readonly { readonly path: string; readonly off: RegExp }[]>> = {
  codex: ["requirements.toml", "managed_config.toml"].flatMap((name) =>
    [/^\s*["']?allow_managed_hooks_only["']?\s*=\s*true/m, CODEX_HOOKS_OFF].map((off) => ({
      path: `/etc/codex/${name}`,
      off,
    })),
  ),
  // Copilot takes these keys in other spellings too.
  copilot: [
    {
      path: "/etc/github-copilot/managed-settings.json",
      off: /"(?:disable_?all_?hooks|allow_?managed_?hooks_?only)"\s*:\s*true/i,
    },
  ],
};

/** The administrator's file that would keep our hooks out of this agent, if there is one. */
export function managedSwitch(agent: string, root = "/"): ManagedSwitch | undefined {
  if (agent === "claude") return claudeManaged(root);
  const file = MANAGED[agent]?.find(({ path, off }) => off.test(textOf(join(root, path))))?.path;
  return file === undefined ? undefined : { file, state: "off" };
}

export function refuseManaged(agent: string, root = "/"): void {
  const found = managedSwitch(agent, root);
  if (found === undefined) return;
  const { file, state } = found;
  if (state === "off") {
    const fix = "ask its administrator to allow hooks of users, or say --unguarded";
    throw disarmed("this machine's managed settings", file, fix);
  }
  throw new UserError("this machine's managed settings cannot be read, and might switch the rules off", {
    where: file,
    fix: "ask its administrator to mend the file, or say --unguarded",
    exitCode: EXIT.refused,
  });
}

function textOf(path: string): string {
  try {
    return settingsText(readBounded(path, MAX_SETTINGS).bytes);
  } catch {
    // None there, or none that this user may read: the agent runs as the same user.
    return "";
  }
}
