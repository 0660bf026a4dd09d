import { LANGUAGE_PROGRAMS } from "./languages.ts";
import { NETWORK_PROGRAMS } from "./network.ts";
import { PACKAGE_PROGRAMS } from "./packages.ts";
import type { Program } from "./program.ts";
import { watched } from "./unlisted-options.ts";

const TOOLS = new Map(
  [LANGUAGE_PROGRAMS, NETWORK_PROGRAMS, PACKAGE_PROGRAMS].flatMap((table) => Object.entries(watched(table))),
);

/** Tools of languages, builds and networks; a part of its own, which the hook loads when it is needed. */
export function toolProgram(name: string): Program | undefined {
  return TOOLS.get(name);
}
