import { expect, test } from "vitest";
import { CONCEPTS } from "./concept.ts";
import { BECAUSE } from "./screen.ts";
import { GRAMMAR, parseGrammar } from "./rules.ts";
import { LEXICON } from "./lexicon.ts";
import { unpackLexicon } from "./matcher.ts";

const CODES = "en de nl es fr it pt pl tr id vi ru uk zh ja ko th ar he hi".split(" ");

test("every rule parses and every kind says why it matters", () => {
  const kinds = parseGrammar(GRAMMAR).flatMap((rule) => (rule.kind === undefined ? [] : [rule.kind]));
  expect(kinds.filter((kind) => !(kind in BECAUSE))).toEqual([]);
});

test("a rule with an unknown concept or no scope is refused", () => {
  expect(() => parseGrammar("override 5 clause 60: override nonsense")).toThrow("nonsense");
  expect(() => parseGrammar("override 5 60: override")).toThrow("no scope");
});

test("every line of the lexicon is a known language and a list of short phrases", () => {
  const lines = CONCEPTS.flatMap((concept) => LEXICON[concept]?.trim().split("\n") ?? []);
  expect(lines.filter((line) => !CODES.includes(line.slice(0, 2)) || line[2] !== " ")).toEqual([]);
  const phrases = lines.flatMap((line) => line.slice(3).split(","));
  // The lexicon contains concepts, not sentences.
  expect(phrases.filter((phrase) => phrase === "" || phrase.split(" ").length > 5)).toEqual([]);
});

test("the concepts that carry an attack have words in every language", () => {
  const carrying = ["override", "instructions", "prior", "run", "send", "secret", "reveal", "ai"] as const;
  const missing = carrying.flatMap((concept) =>
    CODES.filter((code) => !LEXICON[concept]?.includes(`\n${code} `)).map((code) => `${concept} ${code}`),
  );
  expect(missing).toEqual([]);
});

test("the packed lexicon is the lexicon; if not, run `node scripts/pack-lexicon.ts`", () => {
  const lines = CONCEPTS.flatMap((concept) => {
    const words = LEXICON[concept];
    return words === undefined ? [] : [[concept, words.trim().split("\n")]];
  });
  expect([...unpackLexicon()]).toEqual(lines);
});
