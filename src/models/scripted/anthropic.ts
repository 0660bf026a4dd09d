import * as z from "zod";
import {
  type Answer,
  argumentsOf,
  contentText,
  type ConversationEntry,
  type IncomingRequest,
  parseBody,
  pieces,
  type Wire,
  type WireEvent,
} from "./wire.ts";
import type { Stop } from "./script.ts";

/** Anthropic Messages: Claude Code, and Copilot with an Anthropic provider. */
export const anthropic: Wire = {
  name: "anthropic",
  path: /\/v1\/messages$/,

  read({ body }): IncomingRequest {
    const { model, stream, system, messages, tools } = parseBody(Request, body);
    const inline = messages
      .filter((message) => message.role === "system")
      .map((message) => contentText(message.content));
    return {
      model,
      stream,
      usageInStream: true,
      system: [contentText(system), ...inline].filter(Boolean).join("\n"),
      entries: messages.filter((message) => message.role !== "system").flatMap(entriesOf),
      tools: tools.map((tool) => ({ name: tool.name, schema: tool.input_schema, freeText: false })),
    };
  },

  write(answer) {
    const usage = { ...NO_CACHE, input_tokens: answer.usage.input, output_tokens: answer.usage.output };
    const message = { id: `msg_${answer.id}`, type: "message", role: "assistant", model: answer.model };
    const content = contentOf(answer);
    const ending = { stop_reason: STOP_REASONS[answer.stop], stop_sequence: null };
    const open = { ...message, content: [], stop_reason: null, stop_sequence: null };
    return {
      body: { ...message, content, ...ending, usage },
      events: [
        event({ type: "message_start", message: { ...open, usage: { ...usage, output_tokens: 1 } } }),
        ...content.flatMap(blockEvents),
        event({ type: "message_delta", delta: ending, usage }),
        event({ type: "message_stop" }),
      ],
    };
  },

  error: (status, message) => ({ type: "error", error: { type: ERROR_TYPES[status] ?? "api_error", message } }),
};

const Block = z.looseObject({ type: z.string(), text: z.string().optional(), content: z.unknown().optional() });
const Message = z.looseObject({
  role: z.enum(["user", "assistant", "system"]),
  content: z.union([z.string(), z.array(Block)]),
});
const Request = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  system: z.unknown().optional(),
  messages: z.array(Message),
  tools: z.array(z.looseObject({ name: z.string(), input_schema: z.unknown().optional() })).default([]),
});

function entriesOf({ role, content }: z.infer<typeof Message>): ConversationEntry[] {
  const from = role === "assistant" ? "assistant" : "user";
  if (typeof content === "string") return [{ from, text: content }];
  return content.map((block) =>
    block.type.endsWith("tool_result") && from === "user"
      ? { from: "tool", text: contentText(block.content) }
      : { from, text: block.text ?? "" },
  );
}

type Content =
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "text"; text: string }
  | { type: "tool_use"; id: string; name: string; input: Readonly<Record<string, unknown>> };

function contentOf(answer: Answer): Content[] {
  const { thinking, text } = answer;
  return [
    ...(thinking === "" ? [] : [{ type: "thinking" as const, thinking, signature: "c2NyaXB0ZWQ=" }]),
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...answer.calls.map((call) => ({
      type: "tool_use" as const,
      id: `toolu_${call.id}`,
      name: call.name,
      input: argumentsOf(call),
    })),
  ];
}

function blockEvents(block: Content, index: number): WireEvent[] {
  const { empty, deltas } = opened(block);
  return [
    event({ type: "content_block_start", index, content_block: empty }),
    ...deltas.map((delta) => event({ type: "content_block_delta", index, delta })),
    event({ type: "content_block_stop", index }),
  ];
}

/** A block as it starts, and the deltas that fill it. */
function opened(block: Content): { empty: Content; deltas: readonly unknown[] } {
  switch (block.type) {
    case "thinking": {
      const thoughts = pieces(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking }));
      const signature = { type: "signature_delta", signature: block.signature };
      return { empty: { ...block, thinking: "", signature: "" }, deltas: [...thoughts, signature] };
    }
    case "text":
      return {
        empty: { ...block, text: "" },
        deltas: pieces(block.text).map((text) => ({ type: "text_delta", text })),
      };
    case "tool_use": {
      const json = pieces(JSON.stringify(block.input));
      return {
        empty: { ...block, input: {} },
        deltas: json.map((partial_json) => ({ type: "input_json_delta", partial_json })),
      };
    }
  }
}

const event = (data: { type: string; [key: string]: unknown }): WireEvent => ({ event: data.type, data });

const NO_CACHE = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

const STOP_REASONS: Record<Stop, string> = {
  end: "end_turn",
  calls: "tool_use",
  length: "max_tokens",
  refusal: "refusal",
};

const ERROR_TYPES: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};
