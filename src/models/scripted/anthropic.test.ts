import { expect, test } from "vitest";
import { type Answer, BadRequest } from "./wire.ts";
import { anthropic } from "./anthropic.ts";

const url = new URL("http://127.0.0.1/v1/messages");
const read = (body: unknown) => anthropic.read({ url, body });
const request = read({ model: "m", messages: [] });
const answer: Answer = {
  id: "0_1",
  model: "m",
  thinking: "hm",
  text: "I look",
  calls: [{ id: "call_1", name: "Bash", input: { command: "ls" } }],
  stop: "calls",
  usage: { input: 3, output: 2 },
};

test("a request of Claude Code: reminders, prompt, calls and results in order", () => {
  const body = {
    model: "claude-sonnet-4-5",
    stream: true,
    system: [
      { type: "text", text: "You are" },
      { type: "text", text: "an agent" },
    ],
    tools: [
      { name: "Bash", input_schema: { type: "object" } },
      { type: "web_search_20250305", name: "web_search" },
    ],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "<system-reminder>" },
          { type: "text", text: "hi" },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm" },
          { type: "tool_use", id: "a", name: "Bash", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "a.txt" }] },
          { type: "tool_result", tool_use_id: "b", content: "plain", is_error: true },
          { type: "tool_result", tool_use_id: "c" },
          { type: "text", text: "go on" },
          { type: "image", source: {} },
        ],
      },
      { role: "system", content: "mind the gap" },
      { role: "assistant", content: "done" },
    ],
  };
  expect(read(body)).toEqual({
    model: "claude-sonnet-4-5",
    stream: true,
    usageInStream: true,
    system: "You are\nan agent\nmind the gap",
    tools: [
      { name: "Bash", schema: { type: "object" }, freeText: false },
      { name: "web_search", schema: undefined, freeText: false },
    ],
    entries: [
      { from: "user", text: "<system-reminder>" },
      { from: "user", text: "hi" },
      { from: "assistant", text: "" },
      { from: "assistant", text: "" },
      { from: "tool", text: "a.txt" },
      { from: "tool", text: "plain" },
      { from: "tool", text: "" },
      { from: "user", text: "go on" },
      { from: "user", text: "" },
      { from: "assistant", text: "done" },
    ],
  });
});

test("an answer as one message", () => {
  expect(anthropic.write(answer, request).body).toEqual({
    id: "msg_0_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [
      { type: "thinking", thinking: "hm", signature: "c2NyaXB0ZWQ=" },
      { type: "text", text: "I look" },
      { type: "tool_use", id: "toolu_call_1", name: "Bash", input: { command: "ls" } },
    ],
    stop_reason: "tool_use",
    stop_sequence: null,
    usage: { input_tokens: 3, output_tokens: 2, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  });
});

test("an answer as events, each named by its type", () => {
  const { events } = anthropic.write(answer, request);
  const cache = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const call = { type: "tool_use", id: "toolu_call_1", name: "Bash", input: {} };
  expect(events.map((event) => event.data)).toEqual([
    {
      type: "message_start",
      message: {
        id: "msg_0_1",
        type: "message",
        role: "assistant",
        model: "m",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 3, output_tokens: 1, ...cache },
      },
    },
    { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "hm" } },
    { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "c2NyaXB0ZWQ=" } },
    { type: "content_block_stop", index: 0 },
    { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "I look" } },
    { type: "content_block_stop", index: 1 },
    { type: "content_block_start", index: 2, content_block: call },
    { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '{"command":"ls"}' } },
    { type: "content_block_stop", index: 2 },
    {
      type: "message_delta",
      delta: { stop_reason: "tool_use", stop_sequence: null },
      usage: { input_tokens: 3, output_tokens: 2, ...cache },
    },
    { type: "message_stop" },
  ]);
  expect(
    events.every(
      ({ event, data }) => typeof data === "object" && data !== null && "type" in data && data.type === event,
    ),
  ).toBe(true);
});

test.each([null, [], "text", { model: "m" }, { model: "m", messages: [{ role: "robot", content: "" }] }])(
  "%j is not a request of this wire",
  (body) => {
    expect(() => read(body)).toThrow(BadRequest);
  },
);
