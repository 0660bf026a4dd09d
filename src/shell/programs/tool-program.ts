import { CHECKER_PROGRAMS } from "./checkers.ts";
import { COMPILER_PROGRAMS } from "./compilers.ts";
import { LANGUAGE_PROGRAMS } from "./languages.ts";
import { NETWORK_PROGRAMS } from "./network.ts";
import { PACKAGE_PROGRAMS } from "./packages.ts";
import { OWN_PROGRAM } from "./own-program.ts";
import type { KnownProgram } from "./known-program.ts";
import { PROJECT_TOOLS } from "./project-tools.ts";
import { watched } from "./unlisted-options.ts";

const TOOLS = new Map([
  ...Object.entries(watched(LANGUAGE_PROGRAMS, "runs")),
  ...Object.entries(watched(COMPILER_PROGRAMS, "runs")),
  ...Object.entries(watched(CHECKER_PROGRAMS, "runs")),
  ...Object.entries(watched(NETWORK_PROGRAMS, "talks")),
  ...Object.entries(watched(PACKAGE_PROGRAMS, "runs")),
  ...Object.entries(watched(PROJECT_TOOLS, "runs")),
  ...Object.entries(OWN_PROGRAM),
]);

/** Tools for languages, builds and networks. A separate part, which the hook loads when needed. */
export function toolProgram(name: string): KnownProgram | undefined {
  return TOOLS.get(name);
}
