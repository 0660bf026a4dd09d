import { expect, test } from "vitest";
import { splitWords } from "./shell-words.ts";

test.each([
  ["node host.js", ["node", "host.js"]],
  ["  'a b'\"c d\" e\\ f ", ["a bc d", "e f"]],
  ["'' \"\"", ["", ""]],
  [String.raw`"a\"b\n" 'c\d'`, [String.raw`a"b\n`, String.raw`c\d`]],
  ["$HOME `x` *", ["$HOME", "`x`", "*"]],
  ["", []],
  ["'open", undefined],
])("%j is %j", (text, words) => {
  expect(splitWords(text)).toEqual(words);
});
