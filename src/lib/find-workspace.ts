import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The folder that holds `.git` or `.signalbox`, from `start` upwards; `start` itself when none does. */
export function findWorkspace(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git")) || existsSync(join(folder, ".signalbox", "policy.yaml"))) return folder;
    if (dirname(folder) === folder) return start;
  }
}
