import { doubt, type Effect } from "../model/effect.ts";
import type { Arguments } from "./options.ts";
import { UNKNOWN } from "../model/word.ts";

/** Words sent to another machine must be known in advance: `npm view x-$(cat secret)` sends a secret. */
export function sentWords(given: Arguments, what: string): readonly Effect[] {
  const unknown = [...given.operands, ...given.strange, ...given.options.flatMap(({ value }) => value ?? [])].some(
    ({ text, glob }) => text.includes(UNKNOWN) || glob,
  );
  return unknown ? [doubt("sends-unknown", `${what} is sent to another machine and is only known at run time`)] : [];
}
