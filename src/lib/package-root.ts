import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Whether we run from the sources; otherwise from `dist/`. */
export const runsFromSources = import.meta.filename.endsWith(".ts");

/** The folder of the signalbox package we run from. */
export function packageRoot(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json")) && existsSync(join(folder, "bin", "signalbox"))) return folder;
    if (dirname(folder) === folder) throw new Error("signalbox cannot find its own package");
  }
}
