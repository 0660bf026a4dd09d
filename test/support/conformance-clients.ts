import * as z from "zod";
import { parseJson } from "../../src/lib/json/parse-json.ts";

/** One step of a conversation, before a client gives it the form of its wire. */
export type Step =
  | { readonly user: string }
  | { readonly calls: readonly Called[] }
  | { readonly results: readonly { readonly id: string; readonly text: string }[] };

interface Called {
  readonly id: string;
  readonly command: string;
}

export interface Got {
  readonly text: string;
  readonly calls: readonly Called[];
}

/** What an agent does on one wire: put a conversation into a request, and an answer together. */
export interface Client {
  path(stream: boolean): string;
  body(steps: readonly Step[], stream: boolean): object;
  whole(body: unknown): Got;
  assembled(events: readonly unknown[]): Got;
}

const parameters = { type: "object", properties: { command: { type: "string" } }, required: ["command"] };
const Command = z.object({ command: z.string() });
const commandIn = (json: string) => Command.parse(parseJson(json)).command;

const Block = z.looseObject({ text: z.string().default(""), id: z.string().optional(), input: Command.optional() });
const BlockStart = z.looseObject({ id: z.string().optional() });
const BlockDelta = z.looseObject({ text: z.string().default(""), partial_json: z.string().default("") });

const anthropic: Client = {
  path: () => "/v1/messages?beta=true",
  body: (steps, stream) => ({
    model: "m",
    stream,
    tools: [{ name: "bash", input_schema: parameters }],
    messages: steps.map((step) => {
      if ("user" in step) return { role: "user", content: step.user };
      if ("calls" in step) {
        return {
          role: "assistant",
          content: step.calls.map(({ id, command }) => ({ type: "tool_use", id, name: "bash", input: { command } })),
        };
      }
      const content = step.results.map(({ id, text }) => ({ type: "tool_result", tool_use_id: id, content: text }));
      return { role: "user", content };
    }),
  }),
  whole: (body) => {
    const { content } = z.looseObject({ content: z.array(Block) }).parse(body);
    return {
      text: content.map((block) => block.text).join(""),
      calls: content.flatMap(({ id = "", input }) => (input ? [{ id, command: input.command }] : [])),
    };
  },
  assembled: (events) => {
    const Event = z.looseObject({
      index: z.number().optional(),
      content_block: BlockStart.optional(),
      delta: BlockDelta.optional(),
    });
    const all = z.array(Event).parse(events);
    const json = (index?: number) =>
      all.map((event) => (event.index === index ? (event.delta?.partial_json ?? "") : "")).join("");
    return {
      text: all.map((event) => event.delta?.text ?? "").join(""),
      calls: all.flatMap(({ index, content_block }) =>
        content_block?.id === undefined ? [] : [{ id: content_block.id, command: commandIn(json(index)) }],
      ),
    };
  },
};

const ToolCall = z.looseObject({
  index: z.number().default(0),
  id: z.string().optional(),
  function: z.looseObject({ arguments: z.string() }),
});
const ChatMessage = z.looseObject({ content: z.string().nullish(), tool_calls: z.array(ToolCall).default([]) });

const chat: Client = {
  path: () => "/v1/chat/completions",
  body: (steps, stream) => ({
    model: "m",
    stream,
    tools: [{ type: "function", function: { name: "bash", parameters } }],
    messages: steps.flatMap((step): object[] => {
      if ("user" in step) return [{ role: "user", content: step.user }];
      if ("results" in step)
        return step.results.map(({ id, text }) => ({ role: "tool", tool_call_id: id, content: text }));
      const tool_calls = step.calls.map(({ id, command }) => ({
        id,
        type: "function",
        function: { name: "bash", arguments: JSON.stringify({ command }) },
      }));
      return [{ role: "assistant", content: null, tool_calls }];
    }),
  }),
  whole: (body) => {
    const { choices } = z.looseObject({ choices: z.array(z.looseObject({ message: ChatMessage })) }).parse(body);
    const message = choices[0]?.message;
    const calls = message?.tool_calls ?? [];
    return {
      text: message?.content ?? "",
      calls: calls.map((call) => ({ id: call.id ?? "", command: commandIn(call.function.arguments) })),
    };
  },
  assembled: (events) => {
    const Chunk = z.looseObject({ choices: z.array(z.looseObject({ delta: ChatMessage })) });
    const deltas = z
      .array(Chunk)
      .parse(events)
      .flatMap((chunk) => chunk.choices.map((choice) => choice.delta));
    const parts = deltas.flatMap((delta) => delta.tool_calls);
    const json = (index: number) => parts.map((part) => (part.index === index ? part.function.arguments : "")).join("");
    return {
      text: deltas.map((delta) => delta.content ?? "").join(""),
      calls: parts.flatMap(({ id, index }) => (id === undefined ? [] : [{ id, command: commandIn(json(index)) }])),
    };
  },
};

const Item = z.looseObject({
  content: z.array(z.looseObject({ text: z.string() })).default([]),
  call_id: z.string().optional(),
  arguments: z.string().default(""),
});
const gotItems = (items: readonly z.infer<typeof Item>[]): Got => ({
  text: items.flatMap((item) => item.content.map((part) => part.text)).join(""),
  calls: items.flatMap(({ call_id: id, arguments: json }) =>
    id === undefined ? [] : [{ id, command: commandIn(json) }],
  ),
});

const responses: Client = {
  path: () => "/v1/responses",
  body: (steps, stream) => ({
    model: "m",
    stream,
    tools: [{ type: "function", name: "bash", parameters }],
    input: steps.flatMap((step): object[] => {
      if ("user" in step)
        return [{ type: "message", role: "user", content: [{ type: "input_text", text: step.user }] }];
      if ("results" in step) {
        return step.results.map(({ id, text }) => ({ type: "function_call_output", call_id: id, output: text }));
      }
      return step.calls.map(({ id, command }) => ({
        type: "function_call",
        call_id: id,
        name: "bash",
        arguments: JSON.stringify({ command }),
      }));
    }),
  }),
  whole: (body) => gotItems(z.looseObject({ output: z.array(Item) }).parse(body).output),
  assembled: (events) => {
    const Event = z.looseObject({ type: z.string(), item: Item.optional() });
    const done = z
      .array(Event)
      .parse(events)
      .filter((event) => event.type === "response.output_item.done");
    return gotItems(done.flatMap((event) => event.item ?? []));
  },
};

const Part = z.looseObject({
  text: z.string().default(""),
  functionCall: z.object({ id: z.string(), name: z.string(), args: Command }).optional(),
});
const Candidates = z.looseObject({
  candidates: z.array(z.looseObject({ content: z.looseObject({ parts: z.array(Part) }) })),
});
const gotParts = (bodies: readonly unknown[]): Got => {
  const parts = bodies.flatMap((body) => Candidates.parse(body).candidates.flatMap(({ content }) => content.parts));
  return {
    text: parts.map((part) => part.text).join(""),
    calls: parts.flatMap(({ functionCall: call }) => (call ? [{ id: call.id, command: call.args.command }] : [])),
  };
};

const gemini: Client = {
  path: (stream) => `/v1beta/models/m:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
  body: (steps) => ({
    tools: [{ functionDeclarations: [{ name: "bash", parametersJsonSchema: parameters }] }],
    contents: steps.map((step) => {
      if ("user" in step) return { role: "user", parts: [{ text: step.user }] };
      if ("calls" in step) {
        const parts = step.calls.map(({ id, command }) => ({ functionCall: { id, name: "bash", args: { command } } }));
        return { role: "model", parts };
      }
      const parts = step.results.map(({ id, text }) => ({
        functionResponse: { id, name: "bash", response: { output: text } },
      }));
      return { role: "user", parts };
    }),
  }),
  whole: (body) => gotParts([body]),
  assembled: gotParts,
};

/** The clients of the conformance suite, by the wire they speak. */
export const CLIENTS = { anthropic, "chat-completions": chat, responses, "generate-content": gemini };
