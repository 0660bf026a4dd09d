import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Whether this runs from the sources; else from `dist/`. */
export const runsFromSources = import.meta.filename.endsWith(".ts");

/** The folder of the signalbox package that this runs from. */
export function packageRoot(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json")) && existsSync(join(folder, "bin", "signalbox"))) return folder;
    if (dirname(folder) === folder) throw new Error("signalbox cannot find its own package");
  }
}
