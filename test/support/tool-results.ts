import * as z from "zod";

const Conversation = z.object({ messages: z.array(z.record(z.string(), z.unknown())) });

/** One call of a scripted turn. */
export const call = (id: string, name: string, input: Record<string, unknown> = {}) => ({ id, name, input });

/** The tool results in a chat request as JSON, by call. */
export function resultsIn(body: unknown): Readonly<Record<string, string>> {
  const { messages } = Conversation.parse(body);
  return Object.fromEntries(
    messages
      .filter(({ role }) => role === "tool")
      .map((message) => [String(message["tool_call_id"]), JSON.stringify(message["content"])]),
  );
}
