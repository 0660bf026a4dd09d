import { GIT_PROGRAMS } from "./git.ts";
import type { KnownProgram } from "./known-program.ts";

const TABLE = new Map(Object.entries(GIT_PROGRAMS));

/** What a sub-command of git does; a part of its own, which the hook loads when git is called. */
export function gitProgram(name: string): KnownProgram | undefined {
  return TABLE.get(name);
}
