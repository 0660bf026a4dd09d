import { delimiter, resolve } from "node:path";
import { isExecutable, isFile } from "../lib/is-program.ts";
import { isInWorkspace } from "./workspace-folders.ts";

/** Where programs are looked for by name, and the folders whose programs are not taken. */
export interface SearchPlace {
  readonly env: NodeJS.ProcessEnv;
  /** What a relative or empty entry of PATH means. */
  readonly cwd: string;
  readonly avoid: readonly string[];
}

/** What was found of a name. */
export interface Found {
  /** The first of that name outside the folders to avoid. */
  readonly path: string | undefined;
  /** Those before it that lie inside. */
  readonly passedOver: readonly string[];
}

/** Looks for a program as the system would, and passes over what lies in a folder to avoid. */
export function searchPath(name: string, { env, cwd, avoid }: SearchPlace): Found {
  const passedOver: string[] = [];
  for (const folder of (env["PATH"] ?? "").split(delimiter)) {
    // Two dots behind a link mean what the system makes of them.
    const path = `${folder.startsWith("/") ? folder : resolve(cwd, folder)}/${name}`;
    if (!isFile(path) || !isExecutable(path)) continue;
    if (!isInWorkspace(path, avoid)) return { path, passedOver };
    passedOver.push(path);
  }
  return { path: undefined, passedOver };
}
