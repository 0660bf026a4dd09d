import * as z from "zod";
import {
  type Answer,
  argumentsOf,
  contentText,
  type ConversationEntry,
  type IncomingRequest,
  openaiError,
  parseBody,
  pieces,
  type Wire,
  type WireEvent,
} from "./wire.ts";
import type { Stop } from "./script.ts";

/** OpenAI Chat Completions: Copilot, opencode, pi and everything that calls itself OpenAI-compatible. */
export const chatCompletions: Wire = {
  name: "chat-completions",
  path: /\/chat\/completions$/,

  read({ body }): IncomingRequest {
    const { model, stream, stream_options, messages, tools } = parseBody(Request, body);
    const instructs = ({ role }: z.infer<typeof Message>) => role === "system" || role === "developer";
    return {
      model,
      stream,
      usageInStream: stream_options?.include_usage ?? false,
      system: messages
        .filter(instructs)
        .map((message) => contentText(message.content))
        .join("\n"),
      entries: messages.filter((message) => !instructs(message)).flatMap(entriesOf),
      tools: tools.map(({ function: { name, parameters } }) => ({ name, schema: parameters, freeText: false })),
    };
  },

  write(answer, request) {
    const { input, output } = answer.usage;
    const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
    const base = { id: `chatcmpl-${answer.id}`, created: CREATED, model: answer.model };
    const finish_reason = FINISH_REASONS[answer.stop];
    const chunk = (delta: unknown, reason: string | null = null): WireEvent => ({
      data: { ...base, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: reason }] },
    });
    const usageChunk = { data: { ...base, object: "chat.completion.chunk", choices: [], usage } };
    return {
      body: {
        ...base,
        object: "chat.completion",
        choices: [{ index: 0, message: messageOf(answer), finish_reason }],
        usage,
      },
      events: [
        chunk({ role: "assistant", content: "" }),
        ...deltasOf(answer).map((delta) => chunk(delta)),
        chunk({}, finish_reason),
        ...(request.usageInStream ? [usageChunk] : []),
        { data: "[DONE]" },
      ],
    };
  },

  error: openaiError,
};

const Message = z.looseObject({
  role: z.enum(["system", "developer", "user", "assistant", "tool", "function"]),
  content: z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() })), z.null()]).optional(),
});
const Tool = z.looseObject({ function: z.looseObject({ name: z.string(), parameters: z.unknown().optional() }) });
const Request = z.looseObject({
  model: z.string(),
  stream: z.boolean().nullish().transform(Boolean),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  messages: z.array(Message),
  tools: z.array(Tool).default([]),
});

function entriesOf({ role, content }: z.infer<typeof Message>): ConversationEntry[] {
  if (role === "assistant") return [{ from: "assistant", text: contentText(content) }];
  if (role !== "user") return [{ from: "tool", text: contentText(content) }];
  return Array.isArray(content)
    ? content.map((part) => ({ from: "user", text: part.text ?? "" }))
    : [{ from: "user", text: content ?? "" }];
}

function messageOf(answer: Answer): unknown {
  const calls = answer.calls.map((call) => ({
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(argumentsOf(call)) },
  }));
  return {
    role: "assistant",
    content: answer.text === "" && calls.length > 0 ? null : answer.text,
    ...(answer.thinking === "" ? {} : { reasoning_content: answer.thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function deltasOf(answer: Answer): unknown[] {
  const calls = answer.calls.flatMap((call, index) => {
    const head = { index, id: call.id, type: "function", function: { name: call.name, arguments: "" } };
    const rest = pieces(JSON.stringify(argumentsOf(call))).map((part) => ({ index, function: { arguments: part } }));
    return [head, ...rest].map((part) => ({ tool_calls: [part] }));
  });
  return [
    ...pieces(answer.thinking).map((part) => ({ reasoning_content: part })),
    ...pieces(answer.text).map((part) => ({ content: part })),
    ...calls,
  ];
}

/** A fixed time, so that the same script gives the same bytes. */
const CREATED = 1_700_000_000;

const FINISH_REASONS: Record<Stop, string> = {
  end: "stop",
  calls: "tool_calls",
  length: "length",
  refusal: "content_filter",
};
