import { existsSync } from "node:fs";
import { join } from "node:path";

const PLACES = ["/bin", "/usr/bin", "/usr/local/bin", "/run/current-system/sw/bin"];

/**
 * The system's own path of a program, so that no folder on PATH can substitute another. Undefined when there is none.
 */
export const systemProgram = (name: string): string | undefined =>
  PLACES.map((folder) => join(folder, name)).find((path) => existsSync(path));
