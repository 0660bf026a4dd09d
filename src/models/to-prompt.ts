import type {
  JSONObject,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import type { AssistantMessage, Image, Message, ToolMessage, ToolResult } from "../contract/message.ts";
import type { ModelRequest } from "./model.ts";

/** What differs between wires when a history is sent. */
export interface PromptForm {
  /** False where a tool result can only be text; its images then follow as a user message. */
  readonly imagesInResults: boolean;
  /** Marks the ends of what should be cached, where the wire requires marks. */
  readonly cacheMark?: Readonly<Record<string, JSONObject>> | undefined;
}

/** A history in the form that provider packages take. Empty messages are omitted, because no wire accepts them. */
export function toPrompt(
  { system, history, tail = [] }: Pick<ModelRequest, "system" | "history" | "tail">,
  form: PromptForm,
): LanguageModelV4Prompt {
  const messages = history.flatMap((message) => toMessages(message, form));
  const prompt: LanguageModelV4Prompt = isBlank(system) ? messages : [{ role: "system", content: system }, ...messages];
  const marked = form.cacheMark === undefined ? prompt : withCacheMarks(prompt, form.cacheMark);
  // A message of its own: in a result, anybody who writes what the result shows could have written it.
  return [...marked, ...userMessage(tail.filter((text) => !isBlank(text)).join("\n\n"), [])];
}

function toMessages(message: Message, form: PromptForm): LanguageModelV4Message[] {
  switch (message.role) {
    case "user":
      return userMessage(message.text, message.images ?? []);
    case "assistant":
      return assistantMessage(message);
    case "tool":
      return toolMessages(message, form);
  }
}

function userMessage(text: string, images: readonly Image[]): LanguageModelV4Message[] {
  const content = [...(isBlank(text) ? [] : [{ type: "text" as const, text }]), ...images.map(filePart)];
  return content.length === 0 ? [] : [{ role: "user", content }];
}

/** Thinking is sent back only with text or calls; on its own, no wire accepts it as an answer. */
function assistantMessage({ parts }: AssistantMessage): LanguageModelV4Message[] {
  const nonBlankParts = parts.filter((part) => part.type !== "text" || !isBlank(part.text));
  if (!nonBlankParts.some((part) => part.type !== "thinking")) return [];
  const content = nonBlankParts.map((part) => {
    const extras = part.extras === undefined ? {} : { providerOptions: part.extras };
    switch (part.type) {
      case "text":
        return { type: "text" as const, text: part.text, ...extras };
      case "thinking":
        return { type: "reasoning" as const, text: part.text, ...extras };
      case "call":
        return { type: "tool-call" as const, toolCallId: part.id, toolName: part.name, input: part.input, ...extras };
    }
  });
  return [{ role: "assistant", content }];
}

function toolMessages({ results }: ToolMessage, form: PromptForm): LanguageModelV4Message[] {
  if (results.length === 0) return [];
  const content = results.map((result) => resultPart(result, form));
  const left = form.imagesInResults ? [] : results.flatMap((result) => result.images ?? []);
  const images = left.length === 0 ? [] : userMessage("The images of the results above:", left);
  return [{ role: "tool", content }, ...images];
}

function resultPart(result: ToolResult, form: PromptForm): LanguageModelV4ToolResultPart {
  const { callId: toolCallId, name: toolName, failed, images = [] } = result;
  const text = isBlank(result.text) ? "(no output)" : result.text;
  const part = { type: "tool-result" as const, toolCallId, toolName };
  if (form.imagesInResults && images.length > 0) {
    return { ...part, output: { type: "content", value: [{ type: "text", text }, ...images.map(filePart)] } };
  }
  return { ...part, output: { type: failed ? "error-text" : "text", value: text } };
}

const filePart = ({ mediaType, base64 }: Image): LanguageModelV4FilePart => ({
  type: "file",
  mediaType,
  data: { type: "data", data: base64 },
});

/**
 * The system prompt, and the last two user or tool messages: the newest is written to the cache, the one before is read
 * from it.
 */
function withCacheMarks(prompt: LanguageModelV4Prompt, mark: Record<string, JSONObject>): LanguageModelV4Prompt {
  const turns = prompt.flatMap(({ role }, index) => (role === "user" || role === "tool" ? [index] : []));
  const marked = new Set(turns.slice(-2));
  return prompt.map((message, index) =>
    message.role === "system" || marked.has(index) ? { ...message, providerOptions: mark } : message,
  );
}

const isBlank = (text: string) => text.trim() === "";
