import type { Effect } from "../model/effect.ts";
import { GIT_PROGRAMS } from "./git.ts";
import { gitUse } from "./git-repository.ts";
import { checkedOut } from "./git-revisions.ts";
import { settingsNeeds } from "./git-settings-need.ts";
import type { KnownProgram } from "./known-program.ts";
import type { Arguments } from "./options.ts";

const TABLE = new Map(Object.entries(GIT_PROGRAMS));

/** What a git subcommand does. A separate part, which the hook loads only for git. */
export function gitProgram(name: string): KnownProgram | undefined {
  return TABLE.get(name);
}

/** What a git subcommand does beyond its options and operands: where it finds its repository, and what it checks out. */
export function gitEffects(subcommand: string, given: Arguments): readonly Effect[] {
  return [...gitUse(subcommand, given), ...settingsNeeds(subcommand, given), ...checkedOut(subcommand, given)];
}
