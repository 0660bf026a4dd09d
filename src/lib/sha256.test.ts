import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { sha256 } from "./sha256.ts";

test.each([
  "",
  "abc",
  "é🚀",
  "a".repeat(55),
  "a".repeat(56),
  "a".repeat(63),
  "a".repeat(64),
  "a".repeat(65),
  "x".repeat(100_000),
])("hashes like the crypto module", (text) => {
  expect(sha256(text)).toBe(createHash("sha256").update(text).digest("hex"));
});
