export const MAX_COMMANDS = 200;
export const MAX_WORDS = 2000;
export const MAX_PATHS = 500;
/** Total text that one judgement may parse, including nested shells. */
export const MAX_PARSED = 160 * 1024;

/** Beyond these limits nothing more is examined, so the answer is a denial. */
export const HOPELESS_COMMANDS = 1000;
export const HOPELESS_DEPTH = 32;
