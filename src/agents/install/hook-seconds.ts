/** Seconds that an agent waits for our wrapper; the wrapper itself gives up well before. */
export const HOOK_SECONDS = 60;
