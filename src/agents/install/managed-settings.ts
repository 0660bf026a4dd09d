import { join } from "node:path";
import type { ManagedSwitch } from "../../contract/agent-install.ts";
import { MAX_SETTINGS, readBounded } from "../../lib/read-bounded.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { settingsText } from "./read-settings.ts";
import { refuseSwitchOff } from "./refuse-switch-off.ts";

/** A file of an administrator that overrides ours, and the words in it that keep other people's hooks out. */
interface ManagedFile {
  readonly path: string;
  readonly off: RegExp;
}

/** The first of these files that keeps our hooks out. */
export function findManaged(files: readonly ManagedFile[], root: string): ManagedSwitch | undefined {
  const file = files.find(({ path, off }) => off.test(textOf(join(root, path))))?.path;
  return file === undefined ? undefined : { file, state: "off" };
}

/** Throws when an administrator's file keeps our hooks out, or might. */
export function refuseManaged(found: ManagedSwitch | undefined): void {
  if (found === undefined) return;
  const { file, state } = found;
  if (state === "off") {
    const fix = "ask your administrator to allow user hooks, or use --unguarded";
    refuseSwitchOff("this machine's managed settings", file, fix);
  }
  throw new UserError("this machine's managed settings cannot be read and might disable the guard", {
    where: file,
    fix: "ask your administrator to fix the file, or use --unguarded",
    exitCode: EXIT.refused,
  });
}

function textOf(path: string): string {
  try {
    return settingsText(readBounded(path, MAX_SETTINGS).bytes);
  } catch {
    // It is missing or not readable for this user. The agent runs as the same user.
    return "";
  }
}
