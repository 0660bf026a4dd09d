import { expect, test } from "vitest";
import { readEscape } from "./characters.ts";

const read = (text: string) => readEscape(text, 0)?.text;

test("entities, percent codes and backslash escapes give the character they stand for", () => {
  expect(["&#105;", "&#x69;", "&lt;", "%69", "\\x69", "\\u0069", "\\u{69}"].map(read)).toEqual([
    "i",
    "i",
    "<",
    "i",
    "i",
    "i",
    "i",
  ]);
});

test("a run of percent codes is read as UTF-8", () => {
  expect(readEscape("%E2%82%AC5", 0)).toEqual({ text: "€", length: 9, counts: true });
});

test("everyday escapes do not count as a disguise", () => {
  expect(readEscape("&amp;", 0)).toEqual({ text: "&", length: 5, counts: false });
  expect(readEscape("\\n", 0)).toEqual({ text: "\n", length: 2, counts: false });
});

test("what only looks like an escape is left alone", () => {
  expect(["&", "&foo;", "&#;", "%", "%zz", "\\x6", "\\u{110000}", "\\u00", "\\q", "100% &c"].map(read)).toEqual(
    Array.from({ length: 10 }, () => undefined),
  );
});
