import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The folder of our own package, both from the sources and from the release. */
export function packageFolder(start: string = import.meta.dirname): string {
  for (let folder = start; ; folder = dirname(folder)) {
    const manifest = join(folder, "package.json");
    if (existsSync(manifest) && /"name":\s*"signalbox"/.test(readFileSync(manifest, "utf8"))) return folder;
    if (dirname(folder) === folder) throw new Error("the signalbox package is incomplete: package.json is missing");
  }
}
