import { existsSync, realpathSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { FLOORS } from "../guard/judge/judge-access.ts";
import { isWild } from "../lib/glob.ts";
import { isInside } from "../lib/inside.ts";
import type { Mount } from "./mount.ts";
import { PRIVATE_FOLDERS } from "../lib/private-folders.ts";

/** The user's secrets that exist: those of the floors, and of `denyRead` those with a fixed name. */
export function secretMounts(home: string, denyRead: readonly string[]): readonly Mount[] {
  return [...FLOORS.denyRead, ...denyRead]
    .filter((glob) => !glob.startsWith("!"))
    .map((glob) => glob.replace(/\/\*\*$/, "").replace(/^~\//, `${home}/`))
    .filter((path) => isAbsolute(path) && !isWild(path) && !PRIVATE_FOLDERS.some((folder) => isInside(path, folder)))
    .flatMap((path): readonly Mount[] => {
      if (!existsSync(path)) return [];
      const real = realpathSync(path);
      return [{ kind: statSync(real).isDirectory() ? "empty-folder" : "empty-file", path: real }];
    });
}
