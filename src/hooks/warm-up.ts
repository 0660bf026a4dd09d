import { setImmediate } from "node:timers/promises";
import type { AuditSegment } from "../guard/audit/write-audit.ts";
import type { HookAnswerer } from "./answer.ts";

const ROUNDS = 40;
const CALL = {
  cwd: "/",
  session_id: "warm-up",
  tool_name: "Bash",
  tool_input: { command: "echo ready" },
  tool_response: { stdout: "ready" },
};
const TEXT = JSON.stringify({
  ...CALL,
  sessionId: CALL.session_id,
  toolName: CALL.tool_name,
  toolArgs: CALL.tool_input,
  toolResult: CALL.tool_response,
});

/**
 * Answers artificial calls while the agent is still starting, because code that has run a few dozen times is faster.
 * Real calls can interleave. Stops when the launch ends.
 */
export async function warmUp({ answer }: Pick<HookAnswerer, "answer">, signal: AbortSignal): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    await setImmediate();
    if (signal.aborted) return;
    await answer({ event: "tool-before", text: TEXT });
    await answer({ event: "tool-after", text: TEXT });
  }
}

/** The log of a warm-up, which records nothing because nothing really happened. */
export const noLog: AuditSegment = {
  name: "",
  file: "",
  append: () => {},
  head: () => ({ hash: "", count: 0 }),
  [Symbol.dispose]: () => {},
};
