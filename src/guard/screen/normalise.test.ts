import { expect, test } from "vitest";
import { normalise } from "./normalise.ts";
import { originalSpan } from "./view.ts";

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
  expect(normalise("sеnd АРІ kеys").view.text).toBe("send api keys");
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
