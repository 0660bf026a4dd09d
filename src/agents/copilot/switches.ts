import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "../../lib/parse-json.ts";
import { MAX_SETTINGS, readBounded } from "../../lib/read-bounded.ts";
import { switchesHooksOff } from "../install/hooks-switch.ts";

/** In a folder that Copilot trusts, each of these files can silently switch off every hook. */
const FILES = [
  ".github/copilot/settings.json",
  ".github/copilot/settings.local.json",
  ".claude/settings.json",
  ".claude/settings.local.json",
];

/** The files in which Copilot looks for such a switch. */
export const copilotSwitches = (folders: readonly string[]) =>
  [...new Set(folders)].flatMap((folder) => FILES.map((file) => join(folder, file)));

/** The first file that switches hooks off. A file that cannot be read counts. */
export function switchingFile(files: readonly string[]): string | undefined {
  return files.find((file) => existsSync(file) && switchesOff(file));
}

function switchesOff(file: string): boolean {
  try {
    const text = readBounded(file, MAX_SETTINGS).bytes.toString("utf8");
    parseJson(text);
    return switchesHooksOff(text);
  } catch (error) {
    // Copilot ignores a file that is not strict JSON, for example because of a comment or a byte order mark.
    return !(error instanceof SyntaxError);
  }
}
