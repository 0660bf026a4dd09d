import { expect, test } from "vitest";
import type { ForeignRule, ForeignVerdict } from "../../contract/foreign-rule.ts";
import type { Rule } from "../../contract/policy.ts";
import { presetPolicy } from "../../guard/policy/compiled-policy.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { compare } from "./compare.ts";
import type { CorpusCall } from "./corpus.ts";

const rule = (verdict: ForeignRule["verdict"]): ForeignRule => ({
  verdict,
  text: "mytool",
  where: "rules:1",
  subject: { kind: "command", argv: ["mytool"], exact: false, match: [], notMatch: [] },
});
const policyRule = (verdict: Rule["verdict"], program = "mytool"): Rule => ({
  id: "r",
  source: "user",
  verdict,
  argv: [program],
  exact: false,
  because: "",
});

/** One call of `mytool x`, made for a rule with a verdict; what both sides say about it. */
function compared(theirs: ForeignVerdict, ours: readonly Rule[], before: readonly Rule[] = [], made = rule("allow")) {
  const none = presetPolicy("none", { workspaceRoot: "/srv", home: "/home/dev" });
  const call: CorpusCall = { tool: "Bash", target: "mytool x", rule: made, isMatch: true, isRespelled: false };
  const policies = { was: { ...none, rules: before }, will: { ...none, rules: ours }, folder: tempFolder() };
  const { looser, rules, tried } = compare([call], [theirs], [{ rule: made, part: "exact", because: "" }], policies);
  return [looser.map((one) => [one.theirs, one.ours]), rules[0]?.part, tried];
}

test("a call that the agent denies and we only ask about is looser", () => {
  expect(compared("deny", [])).toEqual([[["deny", "ask"]], "exact", 1]);
  expect(compared("deny", [policyRule("deny")])).toEqual([[], "exact", 1]);
});

test("a call that a rule of the agent asks about and we allow is looser, whoever allowed it", () => {
  const allowed = [policyRule("allow")];
  expect(compared("ask", allowed, allowed)).toEqual([[["ask", "allow"]], "exact", 1]);
  expect(compared("none", allowed, allowed, rule("ask"))).toEqual([[["no rule", "allow"]], "exact", 1]);
});

test("a call that no rule of the agent is about is looser only if the new rules allow it", () => {
  const allowed = [policyRule("allow")];
  expect(compared("none", allowed)).toEqual([[["no rule", "allow"]], "exact", 1]);
  expect(compared("none", allowed, allowed)).toEqual([[], "exact", 1]);
});

test("a rule is stricter if a call shows it, and a call that was not answered shows nothing", () => {
  expect(compared("allow", [])).toEqual([[], "stricter", 1]);
  expect(compared("none", [policyRule("deny")])).toEqual([[], "stricter", 1]);
  expect(compared(undefined, [policyRule("allow")])).toEqual([[], "exact", 0]);
});
