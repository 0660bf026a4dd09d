import { expect, test } from "vitest";
import { headless } from "./records.ts";

/** The events of these records, without ids and times. */
function play(records: readonly Readonly<Record<string, unknown>>[]) {
  const reader = headless.open();
  const events = records.flatMap((record) =>
    reader.read(record).map((event) => Object.fromEntries(Object.entries(event).filter(([key]) => key !== "ts"))),
  );
  return { events, end: reader.end() };
}

test("an answer in parts is one message, and a call that was stopped is a denied one", () => {
  const { events, end } = play([
    { type: "init", session_id: "s", model: "m" },
    { type: "message", role: "user", content: "do it" },
    { type: "message", role: "assistant", content: "I ", delta: true },
    { type: "message", role: "assistant", content: "start.", delta: true },
    { type: "tool_use", tool_name: "run_shell_command", tool_id: "a", parameters: { command: "ls" } },
    { type: "tool_use", tool_name: "run_shell_command", tool_id: "b", parameters: { command: "sudo ls" } },
    { type: "tool_result", tool_id: "a", status: "success", output: "x" },
    {
      type: "tool_result",
      tool_id: "b",
      status: "error",
      output: "",
      error: { message: "Tool execution blocked: needs root" },
    },
    { type: "error", severity: "warning", message: "loop detected" },
    { type: "result", status: "success", stats: { input_tokens: 5, output_tokens: 2, cached: 1 } },
  ]);
  const call = { type: "tool_call", tool_name: "run_shell_command" };
  const result = { type: "tool_result", tool_name: "run_shell_command" };
  expect(events).toMatchObject([
    { type: "assistant_message", text: "I start." },
    { ...call, tool_use_id: "a", input: { command: "ls" } },
    { ...call, tool_use_id: "b", input: { command: "sudo ls" } },
    { ...result, tool_use_id: "a", output: "x", is_error: false },
    { ...result, tool_use_id: "b", output: { denied: true, reason: "needs root" }, is_error: true },
    { type: "warning", message: "loop detected" },
  ]);
  expect(end).toMatchObject({
    outcome: "complete",
    usage: { input_tokens: 5, output_tokens: 2, cache_read_tokens: 1 },
  });
});

test("a failed result is a failed run, and without a result there is no end", () => {
  const { events, end } = play([{ type: "result", status: "error", error: { message: "API key not valid" } }]);
  expect([events.map(({ message }) => message), end?.outcome]).toEqual([["API key not valid"], "failed"]);
  expect(play([{ type: "message", role: "assistant", content: "I" }]).end).toBeUndefined();
});
