import { expect, test } from "vitest";
import { type Answer, BadRequest } from "./wire.ts";
import { responses } from "./responses.ts";

const url = new URL("http://127.0.0.1/v1/responses");
const read = (body: unknown) => responses.read({ url, body });
const request = read({
  model: "m",
  input: "hi",
  tools: [
    { type: "function", name: "exec_command", parameters: { type: "object" } },
    { type: "custom", name: "apply_patch" },
    { type: "namespace", name: "agents", tools: [{ type: "function", name: "spawn_agent", parameters: {} }] },
    { type: "web_search" },
  ],
});
const answer: Answer = {
  id: "0_1",
  model: "m",
  thinking: "hm",
  text: "I look",
  calls: [
    { id: "c1", name: "exec_command", input: { cmd: "ls" } },
    { id: "c2", name: "apply_patch", input: "*** Begin" },
    { id: "c3", name: "spawn_agent", input: { message: "go" } },
  ],
  stop: "calls",
  usage: { input: 3, output: 2 },
};
const reasoning = { type: "reasoning", id: "rs_0_1", summary: [{ type: "summary_text", text: "hm" }] };
const message = {
  type: "message",
  id: "msg_0_1",
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", text: "I look", annotations: [] }],
};
const command = {
  type: "function_call",
  id: "fc_c1",
  status: "completed",
  call_id: "c1",
  name: "exec_command",
  arguments: '{"cmd":"ls"}',
};
const patch = {
  type: "custom_tool_call",
  id: "ctc_c2",
  status: "completed",
  call_id: "c2",
  name: "apply_patch",
  input: "*** Begin",
};
const spawn = {
  type: "function_call",
  id: "fc_c3",
  status: "completed",
  call_id: "c3",
  name: "spawn_agent",
  namespace: "agents",
  arguments: '{"message":"go"}',
};
const open = {
  id: "resp_0_1",
  object: "response",
  created_at: 1_700_000_000,
  model: "m",
  status: "in_progress",
  error: null,
  incomplete_details: null,
  output: [],
};
const whole = {
  ...open,
  status: "completed",
  output: [reasoning, message, command, patch, spawn],
  usage: {
    input_tokens: 3,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 2,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 5,
  },
};

test("a request of Codex: instructions, context, prompt, one answer of several items, its results", () => {
  const body = {
    model: "fake-model",
    stream: true,
    instructions: "You are",
    input: [
      { type: "message", role: "developer", content: [{ type: "input_text", text: "an agent" }] },
      { type: "message", role: "user", content: [{ type: "input_text", text: "<environment_context>" }] },
      { role: "user", content: "hi" },
      { type: "reasoning", summary: [], encrypted_content: "x" },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "I look" }] },
      { type: "function_call", call_id: "a", name: "exec_command", arguments: "{}" },
      { type: "custom_tool_call", call_id: "b", name: "apply_patch", input: "" },
      { type: "function_call_output", call_id: "a", output: "a.txt" },
      { type: "custom_tool_call_output", call_id: "b", output: [{ type: "input_text", text: "patched" }] },
      { type: "item_reference", id: "msg_1" },
    ],
  };
  expect(read(body)).toEqual({
    model: "fake-model",
    stream: true,
    usageInStream: true,
    system: "You are\nan agent",
    tools: [],
    entries: [
      { from: "user", text: "<environment_context>" },
      { from: "user", text: "hi" },
      { from: "assistant", text: "" },
      { from: "assistant", text: "I look" },
      { from: "assistant", text: "" },
      { from: "assistant", text: "" },
      { from: "tool", text: "a.txt" },
      { from: "tool", text: "patched" },
      { from: "assistant", text: "" },
    ],
  });
});

test("functions, free-text tools, groups of tools and built-in tools are all on offer", () => {
  expect(request.tools).toEqual([
    { name: "exec_command", schema: { type: "object" }, freeText: false },
    { name: "apply_patch", schema: undefined, freeText: true },
    { name: "spawn_agent", schema: {}, freeText: false, namespace: "agents" },
    { name: "web_search", schema: undefined, freeText: false },
  ]);
});

test("tools that come as an item of the input are on offer, and the item is no part of the talk", () => {
  const exec = { type: "custom", name: "exec" };
  const item = {
    type: "additional_tools",
    role: "developer",
    tools: [{ type: "namespace", name: "functions", tools: [exec] }],
  };
  expect(read({ model: "m", input: [item, { role: "user", content: "hi" }] })).toMatchObject({
    system: "",
    tools: [{ name: "exec", schema: undefined, freeText: true, namespace: "functions" }],
    entries: [{ from: "user", text: "hi" }],
  });
});

test("an answer as one response", () => {
  expect(responses.write(answer, request).body).toEqual(whole);
});

test("an answer as events, numbered and named by their type", () => {
  const thinking = { item_id: "rs_0_1", output_index: 0, summary_index: 0 };
  const speaking = { item_id: "msg_0_1", output_index: 1, content_index: 0 };
  const empty = { type: "output_text", text: "", annotations: [] };
  const { events } = responses.write({ ...answer, calls: answer.calls.slice(0, 2) }, request);
  const data = [
    { type: "response.created", response: open },
    { type: "response.in_progress", response: open },
    { type: "response.output_item.added", output_index: 0, item: { ...reasoning, summary: [] } },
    { type: "response.reasoning_summary_part.added", ...thinking, part: { type: "summary_text", text: "" } },
    { type: "response.reasoning_summary_text.delta", ...thinking, delta: "hm" },
    { type: "response.reasoning_summary_text.done", ...thinking, text: "hm" },
    { type: "response.reasoning_summary_part.done", ...thinking, part: { type: "summary_text", text: "hm" } },
    { type: "response.output_item.done", output_index: 0, item: reasoning },
    { type: "response.output_item.added", output_index: 1, item: { ...message, status: "in_progress", content: [] } },
    { type: "response.content_part.added", ...speaking, part: empty },
    { type: "response.output_text.delta", ...speaking, delta: "I look" },
    { type: "response.output_text.done", ...speaking, text: "I look" },
    { type: "response.content_part.done", ...speaking, part: { ...empty, text: "I look" } },
    { type: "response.output_item.done", output_index: 1, item: message },
    { type: "response.output_item.added", output_index: 2, item: { ...command, status: "in_progress", arguments: "" } },
    { type: "response.function_call_arguments.delta", item_id: "fc_c1", output_index: 2, delta: '{"cmd":"ls"}' },
    {
      type: "response.function_call_arguments.done",
      item_id: "fc_c1",
      output_index: 2,
      name: "exec_command",
      arguments: '{"cmd":"ls"}',
    },
    { type: "response.output_item.done", output_index: 2, item: command },
    { type: "response.output_item.added", output_index: 3, item: { ...patch, status: "in_progress", input: "" } },
    { type: "response.custom_tool_call_input.delta", item_id: "ctc_c2", output_index: 3, delta: "*** Begin" },
    { type: "response.custom_tool_call_input.done", item_id: "ctc_c2", output_index: 3, input: "*** Begin" },
    { type: "response.output_item.done", output_index: 3, item: patch },
    { type: "response.completed", response: { ...whole, output: [reasoning, message, command, patch] } },
  ];
  expect(events).toEqual(
    data.map((event, sequence_number) => ({ event: event.type, data: { ...event, sequence_number } })),
  );
});

test("an answer that ran out of length is incomplete", () => {
  const { body, events } = responses.write({ ...answer, stop: "length" }, request);
  const incomplete = { ...whole, status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
  expect(body).toEqual(incomplete);
  expect(events.at(-1)).toMatchObject({ event: "response.incomplete", data: { response: incomplete } });
});

test.each([
  null,
  { model: "m" },
  { model: "m", input: 1 },
  { model: "m", input: "hi", previous_response_id: "resp_1" },
])("%j is not a request that can be played", (body) => {
  expect(() => read(body)).toThrow(BadRequest);
});
