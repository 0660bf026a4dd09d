import { isAbsolute } from "node:path";
import { isInside } from "../lib/inside.ts";
import { PRIVATE_FOLDERS } from "../lib/private-folders.ts";
import { safePath } from "../lib/safe-path.ts";
import { shQuote } from "../lib/sh-quote.ts";

/** The sandbox of macOS has no folders of its own. */
const isPrivate = (folder: string) => process.platform === "linux" && PRIVATE_FOLDERS.includes(folder);

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A command for outside the sandbox. Commands inside can write to a folder of PATH in the workspace (a virtual
 * environment, `node_modules/.bin`), and a program planted there must not run instead of the one that was judged.
 */
export function withoutPlanted(command: string, folders: readonly string[], env: Environment = process.env): string {
  const safe = unplantedPath(folders, env);
  return safe === undefined ? command : `export PATH=${shQuote(safe)}; ${command}`;
}

/** PATH without folders in which commands inside the sandbox could plant a program; undefined if it has none. */
export function unplantedPath(folders: readonly string[], env: Environment): string | undefined {
  const roots = folders.filter((folder) => isAbsolute(folder) && !isPrivate(folder));
  const safe = safePath(env, ...roots);
  const kept = safe.split(":");
  // A missing folder elsewhere was left out too, but commands inside cannot create it.
  const isPlantable = (folder: string) =>
    !isAbsolute(folder) || roots.some((root) => isInside(folder, root)) || safePath({ PATH: folder }) === folder;
  const dropped = (env["PATH"] ?? "").split(":").filter((folder) => !kept.includes(folder));
  return dropped.some(isPlantable) ? safe : undefined;
}
