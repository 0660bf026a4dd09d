import type { Screening } from "../../contract/screening.ts";

/** The shortest meaningful order, "ignore previous instructions", has three words, and a command precedes it. */
const MIN_WORDS = 4;
const WORD = /[A-Za-z]{2,}/g;
/** Other alphabets, escapes and long runs can hide words from counting. */
const DISGUISE = /[^\t\n\r -~]|\\[ux]|%[0-9a-f]{2}|&#?\w+;|[A-Za-z0-9+/=_-]{24,}/i;
const LONG = 200;

/**
 * A screen for shell commands. Skips commands with too few words to steer anyone, because the first real screening
 * takes about 20 ms.
 */
export function commandScreen(screen: (text: string) => Screening): (command: string) => Screening {
  return (command) => {
    const words = command.length > LONG ? MIN_WORDS : (command.match(WORD)?.length ?? 0);
    return words < MIN_WORDS && !DISGUISE.test(command) ? { risk: "none", findings: [] } : screen(command);
  };
}
