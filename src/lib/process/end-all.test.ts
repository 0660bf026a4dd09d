import { expect, test } from "vitest";
import { endAll } from "./tasks.ts";

test("every step is taken, and those that fail are told", () => {
  const seen: string[] = [];
  const fail = () => {
    throw new Error("no room");
  };
  endAll([() => seen.push("first"), fail, () => seen.push("last")], (text) => seen.push(text));
  expect(seen).toEqual(["first", "cleanup failed: no room", "last"]);
});
