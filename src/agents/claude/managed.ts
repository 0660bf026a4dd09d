import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../lib/error-code.ts";
import { isRecord } from "../../lib/is-record.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { MAX_SETTINGS, readBounded } from "../../lib/read-bounded.ts";
import type { ManagedSwitch } from "../../contract/agent-install.ts";
import { readSettings, settingsText } from "../install/read-settings.ts";

const FOLDERS = ["/etc/claude-code", "/Library/Application Support/ClaudeCode"];
const OFF = /"(?:disableAllHooks|allowManagedHooksOnly)":true/;

/** The first of Claude Code's managed settings files, drop-ins included, that keeps our hooks out or cannot be read. */
export function claudeManaged(root: string): ManagedSwitch | undefined {
  for (const folder of FOLDERS) {
    const names = dropIns(join(root, folder, "managed-settings.d"));
    if (names === undefined) return { file: `${folder}/managed-settings.d`, state: "unread" };
    for (const name of ["managed-settings.json", ...names]) {
      const state = stateOf(join(root, folder, name), names.includes(name));
      if (state !== "fine") return { file: `${folder}/${name}`, state };
    }
  }
  return undefined;
}

/** What an administrator has set, file by file. Unreadable files are skipped: the check above reports them. */
export function claudeManagedSettings(root: string): readonly ManagedSettings[] {
  return FOLDERS.flatMap((folder) =>
    ["managed-settings.json", ...(dropIns(join(root, folder, "managed-settings.d")) ?? [])].flatMap((name) => {
      const settings = readSettings(join(root, folder, name));
      return settings === undefined ? [] : [{ file: `${folder}/${name}`, settings }];
    }),
  );
}

interface ManagedSettings {
  readonly file: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The settings files in that folder, relative to its parent; undefined when it cannot be listed. */
function dropIns(folder: string): readonly string[] | undefined {
  const counts = (entry: Dirent) => entry.name.endsWith(".json") && (entry.isFile() || entry.isSymbolicLink());
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).filter(counts);
    return entries.map(({ name }) => `managed-settings.d/${name}`).toSorted();
  } catch (error) {
    return isAbsent(error) ? [] : undefined;
  }
}

/** A listed file that is missing is not fine: a dangling link may get a target later. */
function stateOf(path: string, listed: boolean): ManagedSwitch["state"] | "fine" {
  try {
    const text = settingsText(readBounded(path, MAX_SETTINGS).bytes);
    if (text.trim() === "") return "fine";
    const settings: unknown = parseJson(text);
    if (!isRecord(settings)) return "unread";
    // Serialized again, so that no escape in a key hides it.
    return OFF.test(JSON.stringify(settings)) ? "off" : "fine";
  } catch (error) {
    return isAbsent(error) && !listed ? "fine" : "unread";
  }
}

const isAbsent = (error: unknown) => ["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "");
