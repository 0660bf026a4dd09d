import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { git } from "../git-repository.ts";
import type { Worker } from "./worker.ts";

/** The workspace of a worker, committed. */
export function writeWorkspace(cwd: string, { files, links = {} }: Worker): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), content);
    if (content.startsWith("#!")) chmodSync(join(cwd, path), 0o755);
  }
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    symlinkSync(target, join(cwd, path));
  }
  git(cwd, "add", "-A");
  git(cwd, "commit", "-qm", "first");
}
