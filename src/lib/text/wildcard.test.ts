import { expect, test } from "vitest";
import { couldMatchWildcard, matchesWildcard } from "./wildcard.ts";

test.each([
  ["git push", "git push", true],
  ["git push", "git push x", false],
  ["git push *", "git push", true],
  ["git push *", "git push x", true],
  ["git push *", "git pushy", false],
  ["git*", "gitea", true],
  ["* --force", "git push --force", true],
  ["git * main", "git push origin main", true],
  ["git * main", "git push origin mainly", false],
  ["a*b*c", "a-b-b-c", true],
  ["a*b*c", "a-b-b", false],
  ["*", "", true],
  ["", "x", false],
])("%s matches %s: %s", (pattern, text, expected) => expect(matchesWildcard(pattern, text)).toBe(expected));

test.each([
  ["rm *", "? x", true],
  ["rm *", "r? x", true],
  ["rm *", "ls ?", false],
  ["git push *", "git ?", true],
  ["git push", "git push?", true],
  ["git push", "git pull?", false],
  ["* --force", "git push ?", true],
])("%s could match %s, with ? unknown: %s", (pattern, text, expected) =>
  expect(couldMatchWildcard(pattern, text, (character) => character === "?")).toBe(expected),
);

test("a pattern full of wildcards costs no more than its length times the text's", () => {
  expect(matchesWildcard(`${"a*".repeat(40)}b`, "a".repeat(20_000))).toBe(false);
});
