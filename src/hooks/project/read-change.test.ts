import { expect, test } from "vitest";
import { readChange } from "./hook-io.ts";

test.each([
  ["a prompt", "prompt-submitted", { modifiedPrompt: "x" }, { prompt: "x" }],
  ["a prompt at another event", "tool-after", { modifiedPrompt: "x" }, {}],
  ["a result as a text", "tool-after", { modifiedResult: "" }, { result: { text: "" } }],
  [
    "a result of a kind",
    "tool-after",
    { modifiedResult: { textResultForLlm: "x", resultType: "success" } },
    { result: { text: "x", failed: false } },
  ],
  [
    "a result that was denied",
    "tool-after",
    { modifiedResult: { textResultForLlm: "x", resultType: "denied" } },
    { result: { text: "x", failed: true } },
  ],
  ["a result at another event", "tool-before", { modifiedResult: "x" }, {}],
  ["nothing", "tool-after", { additionalContext: "x" }, {}],
] as const)("a hook may change %s", (_, event, output, expected) => {
  expect(readChange(event, output)).toEqual(expected);
});

test.each([
  ["prompt-submitted", { modifiedPrompt: null }],
  ["prompt-submitted", { modifiedPrompt: ["x"] }],
  ["prompt-submitted", { modifiedPrompt: "\t" }],
  ["tool-after", { modifiedResult: null }],
  ["tool-after", { modifiedResult: [] }],
  ["tool-after", { modifiedResult: { textResultForLlm: 1 } }],
  ["tool-after", { modifiedResult: { textResultForLlm: "x", resultType: "toString" } }],
  ["tool-after", { modifiedResult: { textResultForLlm: "x", resultType: 0 } }],
] as const)("%s with %j changes nothing and says why", (event, output) => {
  expect(readChange(event, output)).toEqual({ unclear: expect.stringMatching(/^(?:its modified|the resultType)/) });
});
