import { LANGUAGE_PROGRAMS } from "./languages.ts";
import { NETWORK_PROGRAMS } from "./network.ts";
import { PACKAGE_PROGRAMS } from "./packages.ts";
import type { Program } from "./program.ts";
import { watched } from "./unlisted-options.ts";

const TOOLS = new Map([
  ...Object.entries(watched(LANGUAGE_PROGRAMS, "runs")),
  ...Object.entries(watched(NETWORK_PROGRAMS, "talks")),
  ...Object.entries(watched(PACKAGE_PROGRAMS, "runs")),
]);

/** Tools of languages, builds and networks; a part of its own, which the hook loads when it is needed. */
export function toolProgram(name: string): Program | undefined {
  return TOOLS.get(name);
}
