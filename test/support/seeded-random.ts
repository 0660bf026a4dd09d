/** Numbers from 0 to 1 that are the same in every run with the same seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** How often a test with random cases tries: `npm run test:soak` as often as it says, `npm test` a fifth of that. */
export const rounds = (most: number): number =>
  process.env["SIGNALBOX_TEST_SOAK"] === undefined ? Math.ceil(most / 5) : most;
