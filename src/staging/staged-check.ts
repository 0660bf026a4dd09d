import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { foldersUp } from "../agents/install/walk-folders.ts";
import { gitTop } from "../lib/git-top.ts";
import { signalboxHome } from "../lib/home-folder.ts";
import { TRUSTING } from "./sources/staged-agents.ts";

/** Returns a check for settings written only by `signalbox stage`, if there can be any here. */
export async function stagedCheck(cwd: string, env: NodeJS.ProcessEnv) {
  const start = realpathSync(cwd);
  const folders = foldersUp(cwd, gitTop(start)?.folder ?? start);
  if (!folders.some((folder) => TRUSTING.some(({ hooks }) => existsSync(join(folder, hooks.wrapper)))))
    return undefined;
  // Loaded on demand, because most launches have nothing staged.
  const { onlyStaged } = await import("./only-staged.ts");
  const place = { folders, home: signalboxHome(env), env };
  return (path: string, text: string) => onlyStaged(path, text, place);
}
