import { expect, test } from "vitest";
import { heldWarnings } from "./launch.ts";

test("warnings wait while the agent has the terminal, once each and a hundred at most, and are shown at once after that", () => {
  const shown: string[] = [];
  const { warn, hold, release } = heldWarnings((text) => void shown.push(text));
  warn("first");
  hold();
  for (const text of ["twice", "twice"]) warn(text);
  hold();
  for (let count = 0; count < 200; count++) warn(`warning ${count}`);
  expect(shown).toEqual(["first"]);
  release();
  expect(shown.slice(0, 3)).toEqual(["first", "twice", "warning 0"]);
  expect(shown).toHaveLength(101);
  warn("last");
  release();
  expect(shown.slice(101)).toEqual(["last"]);
});
