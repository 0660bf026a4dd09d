import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HELD_CODES } from "./held-codes.ts";

const src = join(import.meta.dirname, "../..");
const sources = ["guard", "shell"].flatMap((room) =>
  readdirSync(join(src, room), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.endsWith("held-codes.ts"))
    .map((name) => readFileSync(join(src, room, name), "utf8")),
);

/** Calls and fields that take a reason code. */
const USES = [
  /\b(?:doubt|question|asks?|denied)\(\s*"([a-z][a-z-]*)"/g,
  /\b(?:object|objection|finding)\(\s*[\w.? "]+,\s*"([a-z][a-z-]*)"/g,
  /\bcode: "([a-z][a-z-]*)"/g,
  /\?\s*"([a-z]+-[a-z-]+)"\s*:\s*"[a-z]+-[a-z-]+",\s*`/g,
  /\?\s*"[a-z]+-[a-z-]+"\s*:\s*"([a-z]+-[a-z-]+)",\s*`/g,
];
const BUILT = [
  ...["read", "write", "delete"].map((access) => `path-denied-${access}`),
  ...["allow", "ask", "deny"].map((verdict) => `rule-${verdict}`),
  "rule-any",
  "unknown",
];

const used = new Set([
  ...BUILT,
  ...sources.flatMap((text) => USES.flatMap((use) => [...text.matchAll(use)].flatMap(([, code]) => code ?? []))),
]);

test("every reason code of the judge has one row in the table", () => {
  expect([...used].filter((code) => !Object.hasOwn(HELD_CODES, code)).toSorted()).toEqual([]);
});

test("the table has no row for a code that nothing raises", () => {
  expect(Object.keys(HELD_CODES).filter((code) => !used.has(code))).toEqual([]);
});

test("the scan finds codes in every form they are written in", () => {
  const forms = ["no-rule", "throws-away", "secret-variable", "value-unknown", "network-unlisted", "tool-denied"];
  expect(forms.filter((code) => !used.has(code))).toEqual([]);
});
