import { GIT_PROGRAMS } from "./git.ts";
import type { Program } from "./program.ts";

const TABLE = new Map(Object.entries(GIT_PROGRAMS));

/** What a sub-command of git does; a part of its own, which the hook loads when git is called. */
export function gitProgram(name: string): Program | undefined {
  return TABLE.get(name);
}
