import { expect, test } from "vitest";
import { findIdleRules } from "./load-policy.ts";
import type { Rule } from "../../contract/policy.ts";

const rule = (id: string, argv: Rule["argv"], changes: Partial<Rule> = {}): Rule => ({
  id,
  source: "user",
  verdict: "allow",
  argv,
  exact: false,
  because: "it is",
  ...changes,
});

test("a rule behind a wider one of the same verdict is dead, behind a stricter one it is shadowed", () => {
  const wide = rule("wide", ["git", ["status", "log"]]);
  const narrow = rule("narrow", ["git", "log"]);
  expect(findIdleRules([wide, narrow])).toEqual([{ rule: "narrow", by: "wide", kind: "dead" }]);
  expect(findIdleRules([{ ...wide, verdict: "deny" }, narrow])).toEqual([
    { rule: "narrow", by: "wide", kind: "shadowed" },
  ]);
  expect(findIdleRules([{ ...narrow, verdict: "deny" }, wide])).toEqual([]);
});

test("an exact rule covers only an exact one of the same length", () => {
  const exact = rule("exact", ["git", "log"], { exact: true });
  expect(findIdleRules([exact, rule("open", ["git", "log"])])).toEqual([]);
  expect(findIdleRules([exact, rule("longer", ["git", "log", "-p"], { exact: true })])).toEqual([]);
  expect(findIdleRules([exact, rule("same", ["git", "log"], { exact: true })])).toEqual([
    { rule: "same", by: "exact", kind: "dead" },
  ]);
});
