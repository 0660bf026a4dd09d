import { expect, test } from "vitest";
import { asciiOnly, isUtf8Terminal, styleFor } from "./style.ts";

test("paints can be nested, and NO_COLOR takes the colours away", () => {
  const { bold, red } = styleFor({});
  expect(red(`a${bold("b")}c`)).toBe("\u001b[31ma\u001b[1mb\u001b[22mc\u001b[39m");
  expect(red("")).toBe("");
  const plain = styleFor({ NO_COLOR: "1" });
  expect([plain.red("a"), plain.dim("a")]).toEqual(["a", "\u001b[2ma\u001b[22m"]);
});

test("the locale says whether a terminal reads UTF-8, the strongest variable first", () => {
  expect(isUtf8Terminal({})).toBe(true);
  expect(isUtf8Terminal({ LANG: "de_DE.UTF-8" })).toBe(true);
  expect(isUtf8Terminal({ LANG: "en_US.utf8", LC_ALL: "C" })).toBe(false);
});

test("without UTF-8 every byte is ASCII, and what has one column keeps it", () => {
  expect(asciiOnly("❯ ┌─┐ │ü│ • …")).toBe("> +-+ |?| * .");
});
