import { renameSync, rmSync, writeFileSync } from "node:fs";
import { openFolder } from "../lib/open-folder.ts";
import { randomId } from "../lib/random-id.ts";

/**
 * Puts a file into a folder that commands can write. Never through a link that one of them left there, which could lead
 * to the user's own files. Where something else is in the way the file is left out.
 */
export function writePrivateFile(root: string, path: string, content: string): void {
  const names = path.split("/");
  const name = names.pop() ?? "";
  try {
    using folder = openFolder(root, names, true);
    if (folder === undefined) return;
    const temporary = folder.at(`.signalbox-${randomId()}.tmp`);
    try {
      writeFileSync(temporary, content, { mode: 0o600, flag: "wx" });
      renameSync(temporary, folder.at(name));
    } finally {
      rmSync(temporary, { force: true });
    }
  } catch {
    // A folder or a link of a command: it only keeps its own settings from being read.
  }
}
