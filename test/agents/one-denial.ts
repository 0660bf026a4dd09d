import { expect } from "vitest";
import type { AgentEvent } from "../../src/contract/agent-event.ts";

/** Checks that a trace has this command once, denied once, with one id and one reason. */
export function expectOneDenial(trace: readonly AgentEvent[], command: string): void {
  const told = trace.filter(
    (event) =>
      event.type === "tool_call" ||
      event.type === "tool_result" ||
      (event.type === "warning" && event.message.startsWith("tool denied")),
  );
  const [call] = told;
  const id = call?.type === "tool_call" ? call.tool_use_id : "no call";
  expect(told).toMatchObject([
    { type: "tool_call", input: { command } },
    { type: "warning" },
    { type: "tool_result", tool_use_id: id, output: { denied: true, reason: expect.any(String) }, is_error: true },
  ]);
}
