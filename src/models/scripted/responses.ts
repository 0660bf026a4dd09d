import * as z from "zod";
import {
  type Answer,
  type AnswerCall,
  argumentsOf,
  BadRequest,
  contentText,
  type ConversationEntry,
  type IncomingRequest,
  type OfferedTool,
  openaiError,
  parseBody,
  pieces,
  type Wire,
  type WireAnswer,
} from "./wire.ts";

const Tool = z.looseObject({
  type: z.string(),
  name: z.string().optional(),
  parameters: z.unknown().optional(),
  tools: z.array(z.looseObject({ name: z.string(), type: z.string(), parameters: z.unknown().optional() })).optional(),
});

const Item = z.looseObject({
  type: z.string().default("message"),
  role: z.string().optional(),
  content: z.unknown().optional(),
  output: z.unknown().optional(),
  /** For code-mode models, Codex offers its tools in a developer item instead of next to the input. */
  tools: z.array(Tool).optional(),
});

const Request = z.looseObject({
  model: z.string(),
  stream: z.boolean().nullish().transform(Boolean),
  instructions: z.string().nullish(),
  input: z.union([z.string(), z.array(Item)]),
  tools: z.array(Tool).default([]),
  previous_response_id: z.string().nullish(),
});

const Parts = z.array(z.looseObject({ text: z.string().optional() }));

/** A fixed time, so that the same script gives the same bytes. */
const CREATED = 1_700_000_000;

/** OpenAI Responses: Codex, and Copilot with `COPILOT_PROVIDER_WIRE_API=responses`. The whole history must be sent. */
export const responses: Wire = {
  name: "responses",
  path: /\/responses$/,

  read({ body }): IncomingRequest {
    const { model, stream, instructions, input, tools, previous_response_id } = parseBody(Request, body);
    if (typeof previous_response_id === "string") {
      throw new BadRequest("previous_response_id is not supported: send the whole history (store: false)");
    }
    const items: readonly Item[] =
      typeof input === "string" ? [{ type: "message", role: "user", content: input }] : input;
    const instructs = ({ role }: Item) => role === "developer" || role === "system";
    return {
      model,
      stream,
      usageInStream: true,
      system: [instructions ?? "", ...items.filter(instructs).map((item) => contentText(item.content))]
        .filter(Boolean)
        .join("\n"),
      entries: items.filter((item) => !instructs(item)).flatMap(entriesOf),
      tools: [...tools, ...items.flatMap((item) => item.tools ?? [])].flatMap(offered),
    };
  },

  write(answer, request) {
    const items = outputOf(answer, request.tools);
    return streamed(answer, items);
  },

  error: openaiError,
};

type Item = z.infer<typeof Item>;

/** Built-in tools such as web search have no name; their type is used instead. */
function offered(tool: z.infer<typeof Tool>): OfferedTool[] {
  const namespace = tool.name ?? tool.type;
  if (tool.tools === undefined) return [{ name: namespace, schema: tool.parameters, freeText: tool.type === "custom" }];
  return tool.tools.map((inner) => ({
    name: inner.name,
    schema: inner.parameters,
    freeText: inner.type === "custom",
    namespace,
  }));
}

function entriesOf(item: Item): ConversationEntry[] {
  if (item.type.endsWith("_output")) return [{ from: "tool", text: contentText(item.output) }];
  if (item.type !== "message") return [{ from: "assistant", text: "" }];
  const from = item.role === "assistant" ? "assistant" : "user";
  const parts = Parts.safeParse(item.content);
  return parts.success
    ? parts.data.map((part) => ({ from, text: part.text ?? "" }))
    : [{ from, text: contentText(item.content) }];
}

function outputOf(answer: Answer, tools: readonly OfferedTool[]): OutputItem[] {
  const { id, thinking, text } = answer;
  return [
    ...(thinking === ""
      ? []
      : [{ type: "reasoning" as const, id: `rs_${id}`, summary: [{ type: "summary_text" as const, text: thinking }] }]),
    ...(text === ""
      ? []
      : [
          {
            type: "message" as const,
            id: `msg_${id}`,
            status: "completed" as const,
            role: "assistant" as const,
            content: [{ type: "output_text" as const, text, annotations: [] }],
          },
        ]),
    ...answer.calls.map((call) =>
      callItem(
        call,
        tools.find((tool) => tool.name === call.name),
      ),
    ),
  ];
}

function callItem(call: AnswerCall, tool: OfferedTool | undefined): OutputItem {
  const namespace = tool?.namespace === undefined ? {} : { namespace: tool.namespace };
  const base = { status: "completed" as const, call_id: call.id, name: call.name, ...namespace };
  if (tool?.freeText) {
    const input = typeof call.input === "string" ? call.input : JSON.stringify(call.input);
    return { type: "custom_tool_call", id: `ctc_${call.id}`, ...base, input };
  }
  return { type: "function_call", id: `fc_${call.id}`, ...base, arguments: JSON.stringify(argumentsOf(call)) };
}

function streamed(answer: Answer, output: readonly OutputItem[]): WireAnswer {
  const { input, output: written } = answer.usage;
  const open = {
    id: `resp_${answer.id}`,
    object: "response",
    created_at: CREATED,
    model: answer.model,
    status: "in_progress",
    error: null,
    incomplete_details: null,
    output: [],
  };
  const reason = { length: "max_output_tokens", refusal: "content_filter", end: null, calls: null }[answer.stop];
  const status = reason === null ? "completed" : "incomplete";
  const body = {
    ...open,
    status,
    incomplete_details: reason === null ? null : { reason },
    output,
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: written,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + written,
    },
  };
  const events = [
    { type: "response.created", response: open },
    { type: "response.in_progress", response: open },
    ...output.flatMap(itemEvents),
    { type: `response.${status}`, response: body },
  ];
  return {
    body,
    events: events.map((data, sequence_number) => ({ event: data.type, data: { ...data, sequence_number } })),
  };
}

/** One item of the `output` of a Responses answer. */
type OutputItem =
  | { type: "reasoning"; id: string; summary: readonly { type: "summary_text"; text: string }[] }
  | { type: "message"; id: string; status: Status; role: "assistant"; content: readonly OutputText[] }
  | { type: "function_call"; id: string; status: Status; call_id: string; name: string; arguments: string }
  | { type: "custom_tool_call"; id: string; status: Status; call_id: string; name: string; input: string };

type Status = "in_progress" | "completed";

type OutputText = { type: "output_text"; text: string; annotations: readonly unknown[] };

type ItemEvent = { type: string; [key: string]: unknown };

/** The events that stream one finished item: added empty, filled by deltas, done. */
function itemEvents(item: OutputItem, output_index: number): ItemEvent[] {
  const place = { item_id: item.id, output_index };
  return [
    { type: "response.output_item.added", output_index, item: emptied(item) },
    ...fillingEvents(item).map((event) => ({ ...event, ...place })),
    { type: "response.output_item.done", output_index, item },
  ];
}

function emptied(item: OutputItem): OutputItem {
  switch (item.type) {
    case "reasoning":
      return { ...item, summary: [] };
    case "message":
      return { ...item, status: "in_progress", content: [] };
    case "function_call":
      return { ...item, status: "in_progress", arguments: "" };
    case "custom_tool_call":
      return { ...item, status: "in_progress", input: "" };
  }
}

function fillingEvents(item: OutputItem): ItemEvent[] {
  switch (item.type) {
    case "reasoning":
      return item.summary.flatMap((part, summary_index) => [
        { type: "response.reasoning_summary_part.added", summary_index, part: { ...part, text: "" } },
        ...pieces(part.text).map((delta) => ({ type: "response.reasoning_summary_text.delta", summary_index, delta })),
        { type: "response.reasoning_summary_text.done", summary_index, text: part.text },
        { type: "response.reasoning_summary_part.done", summary_index, part },
      ]);
    case "message":
      return item.content.flatMap((part, content_index) => [
        { type: "response.content_part.added", content_index, part: { ...part, text: "" } },
        ...pieces(part.text).map((delta) => ({ type: "response.output_text.delta", content_index, delta })),
        { type: "response.output_text.done", content_index, text: part.text },
        { type: "response.content_part.done", content_index, part },
      ]);
    case "function_call":
      return [
        ...pieces(item.arguments).map((delta) => ({ type: "response.function_call_arguments.delta", delta })),
        { type: "response.function_call_arguments.done", name: item.name, arguments: item.arguments },
      ];
    case "custom_tool_call":
      return [
        ...pieces(item.input).map((delta) => ({ type: "response.custom_tool_call_input.delta", delta })),
        { type: "response.custom_tool_call_input.done", input: item.input },
      ];
  }
}
