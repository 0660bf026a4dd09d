import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Whether a program is there. A test that shows more with it than without runs only then; .ci/run installs them all. */
export function isOnPath(program: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));
}
