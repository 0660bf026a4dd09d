export const MAX_COMMANDS = 200;
export const MAX_WORDS = 2000;
export const MAX_PATHS = 500;
/** Text that one judgement may parse in all, shells inside shells included. */
export const MAX_PARSED = 160 * 1024;

/** Beyond these nothing is looked at any more, so the answer is a denial. */
export const HOPELESS_COMMANDS = 1000;
export const HOPELESS_DEPTH = 32;
