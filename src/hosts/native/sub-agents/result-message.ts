import type { QueuedPrompt } from "../../../engine/prompt-queue.ts";
import type { ToolOutput } from "../../../contract/tool.ts";
import type { AgentOrder } from "./agent-order.ts";

/** Marks the message that told the model about a sub-agent, so that it is not told again. */
const TOLD = "sub-agent:";

/** What a sub-agent in the background has found out, as a message to the agent that started it. */
export function resultMessage({ id, description }: Pick<AgentOrder, "id" | "description">, output: ToolOutput) {
  const how = output.failed ? "has failed" : "is done";
  const text = `[The sub-agent ${id} (${description}) ${how}. This is its result, not a message from the user.]\n\n${output.text}`;
  return agentMessage(id, text);
}

export const agentMessage = (id: string, text: string): QueuedPrompt => ({
  id: `${TOLD}${id}`,
  message: { role: "user", text, source: "agent" },
});

/** The sub-agent that a message told about. */
export const toldAgent = (promptId: string | undefined): string | undefined =>
  promptId?.startsWith(TOLD) === true ? promptId.slice(TOLD.length) : undefined;
