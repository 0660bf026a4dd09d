import type { SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { CallPart } from "../contract/message.ts";
import { isRecord } from "../lib/is-record.ts";
import { jsonDepth } from "../lib/json-depth.ts";
import { parseJson } from "../lib/parse-json.ts";
import { mergeExtras } from "./wire-extras.ts";

interface StreamedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** The arguments as text, as the model wrote them. */
  readonly input: string;
  readonly providerMetadata?: SharedV4ProviderMetadata;
}

const DEEPEST = 200;
const MAX_KEPT = 2000;

/** A call from its streamed form. Arguments that are no JSON object are kept as text, to be shown to the model again. */
export function callPart({ toolCallId: id, toolName: name, input, providerMetadata }: StreamedCall): CallPart {
  const parsed = parseArguments(input);
  const extras = mergeExtras(undefined, providerMetadata);
  return {
    type: "call",
    id,
    name,
    input: parsed ?? {},
    ...(parsed === undefined ? { malformed: input.slice(0, MAX_KEPT) } : {}),
    ...(extras === undefined ? {} : { extras }),
  };
}

/** No text at all means no arguments: several servers send that for a tool without any. */
function parseArguments(text: string): Record<string, unknown> | undefined {
  if (text.trim() === "") return {};
  if (jsonDepth(text) > DEEPEST) return undefined;
  try {
    const value: unknown = parseJson(text);
    return isRecord(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
