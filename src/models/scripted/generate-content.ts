import * as z from "zod";
import {
  type Answer,
  argumentsOf,
  BadRequest,
  contentText,
  type ConversationEntry,
  type IncomingRequest,
  parseBody,
  pieces,
  type Wire,
} from "./wire.ts";
import type { Stop } from "./script.ts";

/**
 * Gemini generateContent and streamGenerateContent: Gemini CLI. Streams only with `alt=sse`, as its clients request.
 */
export const generateContent: Wire = {
  name: "generate-content",
  path: /\/models\/[^/]+:(?:generateContent|streamGenerateContent)$/,

  read({ url, body }): IncomingRequest {
    const { systemInstruction, contents, tools } = parseBody(Request, body);
    const stream = url.pathname.endsWith(":streamGenerateContent");
    if (stream && url.searchParams.get("alt") !== "sse") {
      throw new BadRequest("streamGenerateContent is only supported with ?alt=sse");
    }
    return {
      model: /\/models\/([^/]+):/.exec(url.pathname)?.[1] ?? "",
      stream,
      usageInStream: true,
      system: typeof systemInstruction === "string" ? systemInstruction : contentText(systemInstruction?.parts),
      entries: contents.flatMap(entriesOf),
      tools: tools.flatMap(({ functionDeclarations }) =>
        functionDeclarations.map((tool) => ({
          name: tool.name,
          schema: tool.parametersJsonSchema ?? tool.parameters,
          freeText: false,
        })),
      ),
    };
  },

  write(answer) {
    const { input, output } = answer.usage;
    const response = (parts: readonly Part[], ending: object = {}) => ({
      candidates: [{ index: 0, content: { role: "model", parts }, ...ending }],
      modelVersion: answer.model,
      responseId: answer.id,
      usageMetadata: { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output },
    });
    const ending = { finishReason: FINISH_REASONS[answer.stop] };
    const chunks = chunksOf(answer);
    const last = chunks.at(-1) ?? { text: "" };
    return {
      body: response(partsOf(answer), ending),
      events: [...chunks.slice(0, -1).map((part) => ({ data: response([part]) })), { data: response([last], ending) }],
    };
  },

  error: (status, message) => ({ error: { code: status, message, status: ERROR_STATUSES[status] ?? "INTERNAL" } }),
};

const Text = z.looseObject({ text: z.string().optional() });
const Result = z.looseObject({ response: z.record(z.string(), z.unknown()).default({}) });
const Content = z.looseObject({
  role: z.string().default("user"),
  parts: z.array(Text.extend({ functionResponse: Result.optional() })),
});
const Declaration = z.looseObject({
  name: z.string(),
  parameters: z.unknown().optional(),
  parametersJsonSchema: z.unknown().optional(),
});
const Request = z.looseObject({
  systemInstruction: z.union([z.string(), z.looseObject({ parts: z.array(Text) })]).optional(),
  contents: z.array(Content),
  tools: z.array(z.looseObject({ functionDeclarations: z.array(Declaration).default([]) })).default([]),
});

function entriesOf({ role, parts }: z.infer<typeof Content>): ConversationEntry[] {
  const from = role === "model" ? "assistant" : "user";
  return parts.map((part) =>
    part.functionResponse === undefined
      ? { from, text: part.text ?? "" }
      : { from: "tool", text: resultText(part.functionResponse.response) },
  );
}

/** Clients put a result's text under `output`, a failure's under `error`. */
function resultText(response: Readonly<Record<string, unknown>>): string {
  return contentText(response["output"] ?? response["error"] ?? response);
}

type Part =
  | { text: string; thought?: true }
  | { functionCall: { id: string; name: string; args: Readonly<Record<string, unknown>> } };

const thought = (text: string): Part => ({ text, thought: true });

function callsOf(answer: Answer): Part[] {
  return answer.calls.map((call) => ({ functionCall: { id: call.id, name: call.name, args: argumentsOf(call) } }));
}

function partsOf(answer: Answer): Part[] {
  const { thinking, text } = answer;
  return [...(thinking === "" ? [] : [thought(thinking)]), ...(text === "" ? [] : [{ text }]), ...callsOf(answer)];
}

function chunksOf(answer: Answer): Part[] {
  return [
    ...pieces(answer.thinking).map(thought),
    ...pieces(answer.text).map((text) => ({ text })),
    ...callsOf(answer),
  ];
}

const FINISH_REASONS: Record<Stop, string> = { end: "STOP", calls: "STOP", length: "MAX_TOKENS", refusal: "SAFETY" };

const ERROR_STATUSES: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  413: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};
