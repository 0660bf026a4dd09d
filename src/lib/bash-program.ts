import { existsSync } from "node:fs";

/** Where bash is, by its full path: no folder on PATH can put another in its place, and nothing is looked for. */
export const bashProgram = (): string | undefined => ["/bin/bash", "/usr/bin/bash"].find((path) => existsSync(path));
