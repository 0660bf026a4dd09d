import { expect, test } from "vitest";
import { type Answer, BadRequest } from "./wire.ts";
import { chatCompletions } from "./chat-completions.ts";

const url = new URL("http://127.0.0.1/v1/chat/completions");
const read = (body: unknown) => chatCompletions.read({ url, body });
const request = read({ model: "m", messages: [], stream_options: { include_usage: true } });
const answer: Answer = {
  id: "0_1",
  model: "m",
  thinking: "hm",
  text: "",
  calls: [
    { id: "call_1", name: "bash", input: { command: "ls" } },
    { id: "call_2", name: "patch", input: "text" },
  ],
  stop: "calls",
  usage: { input: 3, output: 2 },
};

test("a request of Copilot: system, parts, calls and results in order", () => {
  const body = {
    model: "fake-model",
    stream: true,
    stream_options: { include_usage: true },
    tools: [{ type: "function", function: { name: "bash", parameters: { type: "object" } } }],
    messages: [
      { role: "system", content: "You are" },
      { role: "developer", content: [{ type: "text", text: "an agent" }] },
      { role: "user", content: "hi" },
      { role: "assistant", content: null, tool_calls: [{ id: "a" }, { id: "b" }] },
      { role: "tool", tool_call_id: "a", content: "a.txt" },
      { role: "tool", tool_call_id: "b", content: [{ type: "text", text: "b.txt" }] },
      { role: "assistant", tool_calls: [] },
      { role: "user", content: [{ type: "text", text: "one" }, { type: "image_url" }, { type: "text", text: "two" }] },
    ],
  };
  expect(read(body)).toEqual({
    model: "fake-model",
    stream: true,
    usageInStream: true,
    system: "You are\nan agent",
    tools: [{ name: "bash", schema: { type: "object" }, freeText: false }],
    entries: [
      { from: "user", text: "hi" },
      { from: "assistant", text: "" },
      { from: "tool", text: "a.txt" },
      { from: "tool", text: "b.txt" },
      { from: "assistant", text: "" },
      { from: "user", text: "one" },
      { from: "user", text: "" },
      { from: "user", text: "two" },
    ],
  });
});

test("an answer as one completion", () => {
  expect(chatCompletions.write(answer, request).body).toEqual({
    id: "chatcmpl-0_1",
    object: "chat.completion",
    created: 1_700_000_000,
    model: "m",
    choices: [
      {
        index: 0,
        finish_reason: "tool_calls",
        message: {
          role: "assistant",
          content: null,
          reasoning_content: "hm",
          tool_calls: [
            { id: "call_1", type: "function", function: { name: "bash", arguments: '{"command":"ls"}' } },
            { id: "call_2", type: "function", function: { name: "patch", arguments: '{"input":"text"}' } },
          ],
        },
      },
    ],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  });
});

test("an answer as chunks, with the usage alone in the last one when it was asked for", () => {
  const base = { id: "chatcmpl-0_1", created: 1_700_000_000, model: "m", object: "chat.completion.chunk" };
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    data: { ...base, choices: [{ index: 0, delta, finish_reason }] },
  });
  const call = (index: number, id: string, name: string) =>
    chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] });
  const part = (index: number, text: string) => chunk({ tool_calls: [{ index, function: { arguments: text } }] });
  const usage = { data: { ...base, choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } } };
  const chunks = [
    chunk({ role: "assistant", content: "" }),
    chunk({ reasoning_content: "hm" }),
    call(0, "call_1", "bash"),
    part(0, '{"command":"ls"}'),
    call(1, "call_2", "patch"),
    part(1, '{"input":"text"}'),
    chunk({}, "tool_calls"),
  ];
  expect(chatCompletions.write(answer, request).events).toEqual([...chunks, usage, { data: "[DONE]" }]);
  expect(chatCompletions.write(answer, { ...request, usageInStream: false }).events).toEqual([
    ...chunks,
    { data: "[DONE]" },
  ]);
});

test.each([null, { messages: [] }, { model: "m", messages: "hi" }, { model: "m", messages: [], tools: [{}] }])(
  "%j is not a request of this wire",
  (body) => {
    expect(() => read(body)).toThrow(BadRequest);
  },
);
