import { expect, test } from "vitest";
import { UserError } from "../lib/text/user-error.ts";
import { judgeTrials, type Trial, type TrialSession, tryOf } from "./trial.ts";

const session = (files: readonly string[], refused?: UserError): TrialSession => ({
  exit: 0,
  refused,
  requests: [],
  told: [],
  exists: (path) => files.includes(path),
  contained: () => undefined,
  isPartly: () => false,
  lastOutput: () => "",
});
const WANTED = { denied: ["no-1", "no-2"], allowed: ["ok-1"] };
const trial = (changes: Partial<Trial>): Trial => ({
  id: "deny",
  ran: [],
  missing: [],
  seen: "as it should",
  ...changes,
});

test("a try sees by files alone what ran", () => {
  expect(tryOf("deny", session(["ok-1"]), WANTED)).toEqual({
    id: "deny",
    ran: [],
    missing: [],
    seen: "2 denied calls did not run, 1 allowed one did",
  });
  expect(tryOf("deny", session(["no-2"]), WANTED)).toEqual({
    id: "deny",
    ran: ["no-2"],
    missing: ["the allowed call for ok-1 did not run"],
    seen: "2 denied calls did not run, 1 allowed one did",
  });
});

test("a launch that is refused shows nothing by itself", () => {
  const refused = new UserError("no such model", { fix: "none" });
  expect(tryOf("deny", session([], refused), WANTED).missing).toEqual(["the launch failed: no such model"]);
});

test("every try at a guarantee counts, and one denied call that ran is enough to fail", () => {
  expect(judgeTrials("deny", [trial({}), trial({ id: "resume", ran: ["no-9"] })])).toEqual({
    id: "deny",
    verdict: "PASS",
    because: "as it should",
  });
  expect(judgeTrials("deny", [trial({}), trial({ ran: ["no-1"], missing: ["x"] })])).toEqual({
    id: "deny",
    verdict: "FAIL",
    because: "a denied call ran: no-1",
  });
});

test("what was not tried or whose control did not run has failed, not passed", () => {
  expect(judgeTrials("deny", [])).toEqual({
    id: "deny",
    verdict: "FAIL",
    because: "not shown (a denied call does not run; an allowed one does): not tested",
  });
  expect(judgeTrials("deny", [trial({ missing: ["the allowed call for ok-1 did not run"] })]).verdict).toBe("FAIL");
});
