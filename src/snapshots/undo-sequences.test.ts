import { expect, test } from "vitest";
import { undoSequence } from "../../test/support/undo-sequence.ts";

const SEEDS = Array.from({ length: 200 }, (_, index) => index + 1);

test("200 random edit sequences are taken back and brought back to the byte, with modes and links, and git is not touched", async () => {
  for (let at = 0; at < SEEDS.length; at += 4) {
    const wrong = await Promise.all(SEEDS.slice(at, at + 4).map(undoSequence));
    expect(wrong.flat()).toEqual([]);
  }
}, 600_000);
