import type { Screening } from "../contract/screening.ts";

/** The shortest order that means anything, "ignore previous instructions", has three words; a command stands before it. */
const FEWEST_WORDS = 4;
const WORD = /[A-Za-z]{2,}/g;
/** Other alphabets, escapes and long runs can hide words that cannot be counted. */
const DISGUISE = /[^\t\n\r -~]|\\[ux]|%[0-9a-f]{2}|&#?\w+;|[A-Za-z0-9+/=_-]{24,}/i;
const LONG = 200;

/** A screen for shell commands. One with too few words to steer anyone costs nothing: the first real screening takes some 20 ms. */
export function commandScreen(screen: (text: string) => Screening): (command: string) => Screening {
  return (command) => {
    const words = command.length > LONG ? FEWEST_WORDS : (command.match(WORD)?.length ?? 0);
    return words < FEWEST_WORDS && !DISGUISE.test(command) ? { risk: "none", findings: [] } : screen(command);
  };
}
