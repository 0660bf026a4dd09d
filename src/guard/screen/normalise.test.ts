import { expect, test } from "vitest";
import { readEscape } from "./characters.ts";
import { normalise } from "./normalise.ts";
import { eachMatch, originalSpan } from "./view.ts";

const seen = (text: string) => normalise(text).view.text;

test("letters are compared without case, accents, width or style", () => {
  expect(["Ändern", "ＩＧＮＯＲＥ", "𝐈𝐠𝐧𝐨𝐫𝐞", "ɪɢɴᴏʀᴇ", "Bỏ qua"].map(seen)).toEqual([
    "andern",
    "ignore",
    "ignore",
    "ignore",
    "bo qua",
  ]);
});

test("invisible characters are gone and the rest still knows where it stood", () => {
  const { view } = normalise("ig\u200bno\u00adre it");
  expect(view.text).toBe("ignore it");
  expect(originalSpan(view, 0, 6)).toEqual({ start: 0, end: 8 });
  expect(originalSpan(view, 7, 9)).toEqual({ start: 9, end: 11 });
});

test("a look-alike goes back to Latin only in a word that mixes scripts", () => {
  expect(normalise("іgnоrе привет").view.text).toBe("ignore привет");
  expect(normalise("іgnоrе").mixedWords).toEqual([{ start: 0, end: 6 }]);
  expect(normalise("α-версия, кириллица").mixedWords).toEqual([]);
});

test("a span over an entity covers the whole entity", () => {
  const { view, decoded } = normalise("a &#105;&#103; b");
  expect(view.text).toBe("a ig b");
  expect(originalSpan(view, 2, 4)).toEqual({ start: 2, end: 14 });
  expect(decoded).toBe(2);
});

test("lone surrogates and nothing at all are no trouble", () => {
  expect(seen("\ud800x\udc00")).toHaveLength(3);
  expect(seen("")).toBe("");
});

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

test("every match comes once, in order, also empty ones", () => {
  expect(Array.from(eachMatch("a1b22", /\d+/g), (match) => [match.index, match[0]])).toEqual([
    [1, "1"],
    [3, "22"],
  ]);
  expect(Array.from(eachMatch("ab", /x*/g), (match) => match.index)).toEqual([0, 1, 2]);
});

test("two searches with one pattern do not disturb each other", () => {
  const pattern = /\w/g;
  const pairs: string[] = [];
  for (const outer of eachMatch("ab", pattern)) {
    for (const inner of eachMatch("xy", pattern)) pairs.push(outer[0] + inner[0]);
  }
  expect(pairs).toEqual(["ax", "ay", "bx", "by"]);
});
