import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "./temp-folder.ts";

/** An empty repository and an empty home. */
export function repositoryHere() {
  const root = tempFolder();
  const [cwd, home] = [join(root, "work"), join(root, "home")];
  mkdirSync(join(cwd, ".git"), { recursive: true });
  mkdirSync(home);
  return { cwd, home, env: { HOME: home } };
}
