import { expect, test } from "vitest";
import { type Answer, BadRequest } from "./wire.ts";
import { generateContent } from "./generate-content.ts";

const at = (method: string) => new URL(`http://127.0.0.1/v1beta/models/gemini-2.5-flash:${method}`);
const request = generateContent.read({ url: at("generateContent"), body: { contents: [] } });
const answer: Answer = {
  id: "0_1",
  model: "gemini-2.5-flash",
  thinking: "hm",
  text: "I look",
  calls: [{ id: "call_1", name: "run_shell_command", input: { command: "ls" } }],
  stop: "calls",
  usage: { input: 3, output: 2 },
};
const call = { functionCall: { id: "call_1", name: "run_shell_command", args: { command: "ls" } } };
const response = (parts: object[], ending: object = {}) => ({
  candidates: [{ index: 0, content: { role: "model", parts }, ...ending }],
  modelVersion: "gemini-2.5-flash",
  responseId: "0_1",
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
});

test("a request of Gemini CLI: context, prompt, calls and results in order", () => {
  const body = {
    systemInstruction: { role: "user", parts: [{ text: "You are" }, { text: "an agent" }] },
    tools: [
      {
        functionDeclarations: [
          { name: "read_file", parametersJsonSchema: { type: "object" } },
          { name: "glob", parameters: { type: "OBJECT" } },
        ],
      },
      { googleSearch: {} },
    ],
    contents: [
      { role: "user", parts: [{ text: "<session_context>" }, { text: "hi" }] },
      { role: "model", parts: [{ text: "hm", thought: true }, { functionCall: { name: "glob", args: {} } }] },
      {
        role: "user",
        parts: [
          { functionResponse: { name: "glob", response: { output: "a.txt" } } },
          { functionResponse: { name: "glob", response: { error: "no such file" } } },
          { functionResponse: { name: "glob", response: { files: ["b.txt"] } } },
          { inlineData: {} },
        ],
      },
      { parts: [{ text: "go on" }] },
    ],
  };
  const url = new URL("?alt=sse", at("streamGenerateContent"));
  expect(generateContent.read({ url, body })).toEqual({
    model: "gemini-2.5-flash",
    stream: true,
    usageInStream: true,
    system: "You are\nan agent",
    tools: [
      { name: "read_file", schema: { type: "object" }, freeText: false },
      { name: "glob", schema: { type: "OBJECT" }, freeText: false },
    ],
    entries: [
      { from: "user", text: "<session_context>" },
      { from: "user", text: "hi" },
      { from: "assistant", text: "hm" },
      { from: "assistant", text: "" },
      { from: "tool", text: "a.txt" },
      { from: "tool", text: "no such file" },
      { from: "tool", text: '{"files":["b.txt"]}' },
      { from: "user", text: "" },
      { from: "user", text: "go on" },
    ],
  });
});

test("an answer as one response and as events", () => {
  const end = { finishReason: "STOP" };
  expect(generateContent.write(answer, request)).toEqual({
    body: response([{ text: "hm", thought: true }, { text: "I look" }, call], end),
    events: [
      { data: response([{ text: "hm", thought: true }]) },
      { data: response([{ text: "I look" }]) },
      { data: response([call], end) },
    ],
  });
});

test("an empty answer still ends", () => {
  const { body, events } = generateContent.write(
    { ...answer, thinking: "", text: "", calls: [], stop: "length" },
    request,
  );
  const end = { finishReason: "MAX_TOKENS" };
  expect({ body, events }).toEqual({ body: response([], end), events: [{ data: response([{ text: "" }], end) }] });
});

test.each<[string, unknown]>([
  ["generateContent", null],
  ["generateContent", { contents: "hi" }],
  ["streamGenerateContent", { contents: [] }],
])("%s with %j is not a request that can be played", (method, body) => {
  expect(() => generateContent.read({ url: at(method), body })).toThrow(BadRequest);
});
