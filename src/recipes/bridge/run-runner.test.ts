import { expect, test } from "vitest";
import { readResponse } from "./run-runner.ts";
import { RustRunnerRuntimeError } from "./find-runner.ts";

const ended = (stdout: string, code = 0) => ({ code, signal: null, stdout, stderr: "", timedOut: false });

test.each([
  ["null", "top-level JSON must be an object"],
  ['"text"', "top-level JSON must be an object"],
  ["{}", "'success' must be a boolean"],
  ['{"success":"yes"}', "'success' must be a boolean"],
  ['{"success":true,"step_results":{}}', "'step_results' must be a list"],
  ['{"success":true,"step_results":[1]}', "'step_results[0]' must be an object"],
  ['{"success":true,"step_results":[{"status":"completed"}]}', "'step_results[0].step_id' must be a text"],
  ['{"success":true,"step_results":[],"context":[]}', "'context' must be an object"],
])("%s is an invalid response, whatever the exit code", (stdout, problem) => {
  for (const code of [0, 1]) {
    const read = () => readResponse(ended(stdout, code), "hello", "/bin/runner");
    expect(read).toThrow(RustRunnerRuntimeError);
    expect(read).toThrow(`Rust recipe runner returned an invalid response for 'hello': ${problem}`);
  }
});

test("fields that are missing get their defaults, and a status that we do not know is a failure", () => {
  const steps = [
    { step_id: "a", status: "completed", output: { x: 1 } },
    { step_id: "b", status: "paused", error: "why" },
  ];
  const result = readResponse(
    ended(JSON.stringify({ success: true, step_results: steps, duration: -1 })),
    "hello",
    "/bin/runner",
  );
  expect(result).toEqual({
    recipe_name: "hello",
    success: true,
    step_results: [
      { step_id: "a", status: "completed", output: '{"x":1}', error: "", duration: 0 },
      { step_id: "b", status: "failed", output: "", error: "unknown status 'paused' why", duration: 0 },
    ],
    context: {},
    duration: 0,
  });
});

test("a context with __proto__ is data", () => {
  const { context } = readResponse(
    ended('{"success":true,"context":{"__proto__":{"polluted":1}}}'),
    "hello",
    "/bin/runner",
  );
  expect([JSON.stringify(context), "polluted" in {}]).toEqual(['{"__proto__":{"polluted":1}}', false]);
});
