import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { sha256 } from "./sha256.ts";

const TEXTS = [
  "",
  "half a pair: \ud83d",
  "abc",
  "é🚀",
  "a".repeat(55),
  "a".repeat(56),
  "a".repeat(63),
  "a".repeat(64),
  "a".repeat(65),
  "é🚀".repeat(1333),
  "x".repeat(4000),
  "x".repeat(4001),
  "x".repeat(100_000),
];

test("hashes like the crypto module, which takes over for long texts", () => {
  const expected = TEXTS.map((text) => createHash("sha256").update(text).digest("hex"));
  expect(TEXTS.map(sha256)).toEqual(expected);
});
