import { writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { MAX_SETTINGS, readBounded } from "../lib/read-bounded.ts";

const SETTING = "core.excludesfile=";

/**
 * Copies the user's own ignore list into `folder`, and returns the settings of git (`core.name=value`) with the copy in
 * its place. Files that it names must not look new because the list changes later.
 */
export function withUserIgnores(settings: readonly string[], { top, folder }: { top: string; folder: string }) {
  const isIt = (setting: string) => setting.toLowerCase().startsWith(SETTING);
  const list = listPath(settings.findLast(isIt)?.slice(SETTING.length), top);
  if (list === undefined) return settings;
  const copy = join(folder, "user-ignores");
  writeFileSync(copy, contentOf(list), { mode: 0o600 });
  return [...settings.filter((setting) => !isIt(setting)), `${SETTING}${copy}`];
}

/** Undefined where only git knows what is meant. */
function listPath(value: string | undefined, top: string): string | undefined {
  if (value === undefined) return join(process.env["XDG_CONFIG_HOME"] || join(homedir(), ".config"), "git/ignore");
  if (value.startsWith("~/")) return join(homedir(), value.slice(2));
  return value === "" || /^(?:~|%\(prefix\))/.test(value) ? undefined : resolve(top, value);
}

function contentOf(list: string): Buffer {
  try {
    return readBounded(list, MAX_SETTINGS).bytes;
  } catch {
    // Git ignores nothing either where it cannot read the list.
    return Buffer.alloc(0);
  }
}
