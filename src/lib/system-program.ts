import { existsSync } from "node:fs";
import { join } from "node:path";

const PLACES = ["/bin", "/usr/bin", "/usr/local/bin", "/run/current-system/sw/bin"];

/** Where the system keeps a program: no folder on PATH can put another in its place. Undefined when it has none. */
export const systemProgram = (name: string): string | undefined =>
  PLACES.map((folder) => join(folder, name)).find((path) => existsSync(path));
