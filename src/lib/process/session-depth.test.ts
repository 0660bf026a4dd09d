import { expect, test } from "vitest";
import { MAX_SESSION_DEPTH, refuseDeepSession, sessionDepth, sessionVariables } from "./inside-session.ts";

const runs = (count: number) => Array.from({ length: count }, (_, at) => `run-${at}`).join(":");

/** The number of the session that would start, or the refusal and its warnings. */
function tried(env: NodeJS.ProcessEnv): string {
  const warnings: string[] = [];
  try {
    refuseDeepSession(env, (text) => void warnings.push(text));
    return ["started", ...warnings].join("; ");
  } catch (error) {
    return [error instanceof Error ? error.message : "?", ...warnings].join("; ");
  }
}

const refusal = (number: number, limit: number) =>
  `sessions are nested too deeply: this would be number ${number}, and the limit is ${limit}`;

test.each<[NodeJS.ProcessEnv, string]>([
  [{}, "started"],
  [{ SIGNALBOX_RUN: runs(7) }, "started"],
  [{ SIGNALBOX_RUN: runs(8) }, refusal(9, 8)],
  [{ SIGNALBOX_RUN: runs(10) }, refusal(11, 8)],
  [{ AMPLIHACK_SESSION_DEPTH: "7" }, "started"],
  [{ AMPLIHACK_SESSION_DEPTH: "8" }, refusal(9, 8)],
  [{ AMPLIHACK_SESSION_DEPTH: "5", AMPLIHACK_MAX_DEPTH: "3" }, refusal(6, 3)],
  [{ AMPLIHACK_SESSION_DEPTH: "2", AMPLIHACK_MAX_DEPTH: "3" }, "started"],
  [{ SIGNALBOX_RUN: runs(3), AMPLIHACK_SESSION_DEPTH: "1", AMPLIHACK_MAX_DEPTH: "3" }, refusal(4, 3)],
  [{ SIGNALBOX_RUN: runs(8), AMPLIHACK_SESSION_DEPTH: "0", AMPLIHACK_MAX_DEPTH: "999" }, refusal(9, 8)],
  [{ AMPLIHACK_MAX_DEPTH: "0" }, refusal(1, 0)],
  [{ AMPLIHACK_SESSION_DEPTH: "", AMPLIHACK_MAX_DEPTH: "" }, "started"],
])("%j: %s", (env, outcome) => {
  expect(tried(env)).toBe(outcome);
});

const HOSTILE = ["-1", "1e3", "0x2", " 1", "1;rm -rf /", "NaN", "Infinity", "١", "9".repeat(4000), "\n"];

test.each(HOSTILE)("a limit of %j is ignored, a depth of it counts as the limit, and neither is repeated", (value) => {
  const limit = "AMPLIHACK_MAX_DEPTH is ignored: it is not a whole number from 0 to 999";
  const depth = "AMPLIHACK_SESSION_DEPTH counts as the limit: it is not a whole number from 0 to 999";
  expect(tried({ AMPLIHACK_MAX_DEPTH: value })).toBe(`started; ${limit}`);
  expect(tried({ AMPLIHACK_SESSION_DEPTH: value })).toBe(`${refusal(9, 8)}; ${depth}`);
  expect(tried({ AMPLIHACK_SESSION_DEPTH: value, AMPLIHACK_MAX_DEPTH: "2" })).toBe(`${refusal(3, 2)}; ${depth}`);
});

test("each session tells the next one how deep it is and how deep it may be, in plain numbers", () => {
  const next = (env: NodeJS.ProcessEnv) => Object.values(sessionVariables(env, "id"));
  expect(sessionVariables({}, "id")).toEqual({
    SIGNALBOX_RUN: "id",
    AMPLIHACK_SESSION_DEPTH: "0",
    AMPLIHACK_MAX_DEPTH: "8",
  });
  const inner = { SIGNALBOX_RUN: runs(2), AMPLIHACK_SESSION_DEPTH: "0", AMPLIHACK_MAX_DEPTH: "4" };
  expect(next(inner)).toEqual(["run-0:run-1:id", "2", "4"]);
  expect(next({ SIGNALBOX_RUN: "a", AMPLIHACK_SESSION_DEPTH: "3" })).toEqual(["other:other:a:id", "3", "8"]);
  expect(next({ AMPLIHACK_SESSION_DEPTH: "$(x)", AMPLIHACK_MAX_DEPTH: "x" }).slice(1)).toEqual(["8", "8"]);
});

test.each(["0", "3"])(
  "whatever starts the next session, a chain that begins at depth %s ends at the limit",
  (first) => {
    let env: NodeJS.ProcessEnv = { AMPLIHACK_SESSION_DEPTH: first };
    let started = 0;
    for (; sessionDepth(env).depth < sessionDepth(env).limit; started++) env = sessionVariables(env, "run");
    expect(started).toBe(MAX_SESSION_DEPTH - Number(first));
  },
);
