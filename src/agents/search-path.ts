import { delimiter, resolve } from "node:path";
import { isExecutable, isFile } from "../lib/is-program.ts";
import { isInWorkspace } from "./workspace-folders.ts";

/** Where to search for programs by name, and the folders whose programs must not be used. */
export interface SearchPlace {
  readonly env: NodeJS.ProcessEnv;
  /** The base of relative and empty PATH entries. */
  readonly cwd: string;
  readonly avoid: readonly string[];
}

/** The result of a search. */
export interface Found {
  /** The first match outside the folders to avoid. */
  readonly path: string | undefined;
  /** Earlier matches inside those folders. */
  readonly passedOver: readonly string[];
}

/** Searches PATH like the system does, but skips programs inside a folder to avoid. */
export function searchPath(name: string, { env, cwd, avoid }: SearchPlace): Found {
  const passedOver: string[] = [];
  for (const folder of (env["PATH"] ?? "").split(delimiter)) {
    // Not normalised: the system resolves `..` after following links.
    const path = `${folder.startsWith("/") ? folder : resolve(cwd, folder)}/${name}`;
    if (!isFile(path) || !isExecutable(path)) continue;
    if (!isInWorkspace(path, avoid)) return { path, passedOver };
    passedOver.push(path);
  }
  return { path: undefined, passedOver };
}
