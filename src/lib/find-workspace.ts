import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The nearest folder from `start` upwards that contains `.git` or `.signalbox`, or `start` itself. */
export function findWorkspace(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git")) || existsSync(join(folder, ".signalbox", "policy.yaml"))) return folder;
    if (dirname(folder) === folder) return start;
  }
}
