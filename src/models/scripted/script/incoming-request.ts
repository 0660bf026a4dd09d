/** One request to a model, whatever wire it came over. */
export interface IncomingRequest {
  readonly model: string;
  readonly stream: boolean;
  /** Whether a streamed answer may include an event with only the usage. */
  readonly usageInStream: boolean;
  readonly system: string;
  readonly entries: readonly ConversationEntry[];
  readonly tools: readonly OfferedTool[];
}

/** One piece of the conversation, in order. A call, an image or hidden reasoning is an entry with empty text. */
export interface ConversationEntry {
  readonly from: "user" | "assistant" | "tool";
  readonly text: string;
}

export interface OfferedTool {
  readonly name: string;
  /** The JSON schema of the input; undefined when the tool takes free text. */
  readonly schema: unknown;
  readonly freeText: boolean;
  /** The group in which the Responses wire offers the tool, if any. */
  readonly namespace?: string;
}

/**
 * How many model answers are followed by something. Adjacent assistant entries are one answer;
 * one at the very end is not counted, because it is a prefill, or what an agent kept of a broken stream.
 */
export function turnsPlayed(entries: readonly ConversationEntry[]): number {
  return entries.filter((entry, index) => entry.from !== "assistant" && entries[index - 1]?.from === "assistant")
    .length;
}

/** The user's texts, each as sent. */
export function userTexts(entries: readonly ConversationEntry[]): string[] {
  return entries.filter((entry) => entry.from === "user" && entry.text !== "").map((entry) => entry.text);
}

/** The system prompt and everything before the first answer: the same in every request of a conversation. */
export function opening({ system, entries }: IncomingRequest): string {
  const answer = entries.findIndex((entry) => entry.from === "assistant");
  return [system, ...userTexts(answer === -1 ? entries : entries.slice(0, answer))].join("\n");
}

/** Everything the model is told: the system prompt, the user's texts, tool results; not its own text. */
export function inputText({ system, entries }: IncomingRequest): string {
  return [system, ...entries.filter((entry) => entry.from !== "assistant").map((entry) => entry.text)].join("\n");
}
