import { GIT_PROGRAMS } from "./git.ts";
import type { KnownProgram } from "./known-program.ts";

const TABLE = new Map(Object.entries(GIT_PROGRAMS));

/** What a git subcommand does. A separate part, which the hook loads only for git. */
export function gitProgram(name: string): KnownProgram | undefined {
  return TABLE.get(name);
}
