import { deniedCalls } from "../denied-calls.ts";
import type { Receipt } from "../../contract/receipt.ts";
import type { SealPredicate } from "../../contract/seal.ts";
import { sha256 } from "../../lib/json/sha256.ts";

/** The conventions whose names are used; those for agents are still in development there. */
const SCHEMA_URL = "https://opentelemetry.io/schemas/1.41.0";

/** `SPAN_KIND_INTERNAL`, and the codes of a status. */
const [INTERNAL, OK, ERROR] = [1, 1, 2];

type Value = string | number | null | undefined;

/**
 * A receipt as a request of OTLP/HTTP in JSON: a span for the session, and below it one for each call. What was asked,
 * called with and answered is not in it.
 */
export function otlpRequest(receipt: Receipt, seal: SealPredicate | undefined): object {
  const { meta, usage, backend } = receipt;
  const traceId = sha256(meta.run_id).slice(0, 32);
  const name = seal?.agent.name ?? backend.id;
  const root = {
    traceId,
    spanId: spanId(meta.run_id, "session"),
    name: `invoke_agent ${name}`,
    kind: INTERNAL,
    startTimeUnixNano: nanoseconds(meta.started_at),
    endTimeUnixNano: nanoseconds(meta.finished_at),
    attributes: attributes({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": name,
      "gen_ai.agent.version": seal?.agent.version ?? backend.backend_version,
      "gen_ai.usage.input_tokens": usage.input_tokens,
      "gen_ai.usage.output_tokens": usage.output_tokens,
      "signalbox.run": meta.run_id,
      "signalbox.outcome": receipt.outcome,
      "signalbox.verified": seal?.verified,
      "signalbox.calls.denied": seal?.guard.decisions.deny,
      "signalbox.receipt.sha256": receipt.receipt_sha256,
    }),
    status: { code: receipt.outcome === "complete" ? OK : ERROR },
  };
  const resource = { attributes: attributes({ "service.name": "signalbox" }) };
  const scope = { name: "signalbox", version: seal?.guard.version ?? "" };
  const spans = [root, ...callSpans(receipt, { traceId, parentSpanId: root.spanId })];
  return { resourceSpans: [{ resource, scopeSpans: [{ scope, spans, schemaUrl: SCHEMA_URL }] }] };
}

function callSpans({ trace, meta }: Receipt, parent: { readonly traceId: string; readonly parentSpanId: string }) {
  return trace.flatMap((event, at) => {
    if (event.type !== "tool_call") return [];
    const { tool_name: tool, tool_use_id: id } = event;
    const own = resultOf(event, trace.slice(at + 1));
    const isDenied = own !== undefined && deniedCalls([event, own]).length > 0;
    return {
      ...parent,
      spanId: spanId(meta.run_id, String(at)),
      name: `execute_tool ${tool}`,
      kind: INTERNAL,
      startTimeUnixNano: nanoseconds(event.ts),
      endTimeUnixNano: nanoseconds(own?.ts ?? event.ts),
      attributes: attributes({
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool,
        "gen_ai.tool.call.id": id,
        "signalbox.verdict": isDenied ? "deny" : undefined,
      }),
      status: { code: own?.is_error === true ? ERROR : OK },
    };
  });
}

type Event = Receipt["trace"][number];

/** Without an id, only what follows at once is certain. */
function resultOf({ tool_use_id: id, tool_name: tool }: Extract<Event, { type: "tool_call" }>, rest: readonly Event[]) {
  const next = rest.findIndex(({ type }) => type === "tool_call");
  const near = id !== null || next === -1 ? rest : rest.slice(0, next);
  const results = near.flatMap((event) => (event.type === "tool_result" ? [event] : []));
  return results.find((result) => result.tool_use_id === id && result.tool_name === tool);
}

const spanId = (run: string, part: string) => sha256(`${run} ${part}`).slice(0, 16);

/** A number would lose the last digits. */
const nanoseconds = (time: string) => String(BigInt(Date.parse(time)) * 1_000_000n);

/** In the form of OTLP; what is not known is left out. */
function attributes(values: Readonly<Record<string, Value>>): readonly object[] {
  return Object.entries(values).flatMap(([key, value]) => {
    if (value === null || value === undefined) return [];
    return { key, value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value } };
  });
}
