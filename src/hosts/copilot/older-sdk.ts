import type { HostJob } from "../../receipts/host.ts";
import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import type { HostEnd } from "../../contract/receipt.ts";
import { textOf } from "../../agents/pack/records.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import { composePrompt, isPassthrough, withRaw } from "../program/compose-prompt.ts";
import { legacyEvent, legacyUsage } from "./legacy.ts";

type Method = (argument?: unknown) => unknown;

/**
 * Runs a task with an SDK of the kind that our predecessor was written for: nothing to start, and an answer that is a
 * stream of chunks. It asks nothing before a call, so calls are not held.
 */
export async function* converseOlder(
  job: HostJob,
  client: object,
  options: object,
): AsyncGenerator<AgentEvent, HostEnd> {
  const prompt = composePrompt(job);
  yield* prompt.warnings;
  const session = await required(client, ["createSession", "startSession", "newSession"])(options);
  if (!isRecord(session)) throw new Error("the SDK opened no session");
  const abort = () => void method(session, ["abort", "close"])?.();
  job.signal.addEventListener("abort", abort, { once: true });
  const passthrough = isPassthrough(job.order.config.vendor);
  const seen: OlderAnswer = { raw: {}, failed: false, said: "", hasMessage: false };
  try {
    const answer = await required(session, ["sendAndStream", "send", "prompt", "run"])({ prompt: prompt.text });
    for await (const chunk of chunksOf(answer)) {
      const event = readChunk(chunk, seen);
      if (event !== undefined) yield passthrough ? withRaw(event, chunk) : event;
    }
    yield* lastMessage(isRecord(answer) ? await answer["response"] : undefined, seen);
  } catch (error) {
    seen.failed = true;
    yield newEvent({ type: "error", message: messageOf(error) });
  } finally {
    await method(session, ["close", "disconnect"])?.();
  }
  const outcome = job.signal.aborted ? "partial" : seen.failed ? "failed" : "complete";
  const mode = passthrough ? "passthrough" : "mapped";
  return { outcome, mode, usage: legacyUsage(seen.raw), usageRaw: seen.raw };
}

interface OlderAnswer {
  raw: Readonly<Record<string, unknown>>;
  failed: boolean;
  said: string;
  hasMessage: boolean;
}

/** The event for a chunk; undefined for a report of usage. */
function readChunk(chunk: Readonly<Record<string, unknown>>, seen: OlderAnswer): AgentEvent | undefined {
  if (textOf(chunk, "type").includes("usage")) {
    seen.raw = { ...seen.raw, ...(isRecord(chunk["usage"]) ? chunk["usage"] : chunk) };
    return undefined;
  }
  const event = legacyEvent(chunk);
  seen.failed ||= event.type === "error";
  seen.hasMessage ||= event.type === "assistant_message";
  if (event.type === "assistant_delta") seen.said += event.text;
  return event;
}

/** The whole answer, unless it was a chunk itself. */
function lastMessage(response: unknown, seen: OlderAnswer): readonly AgentEvent[] {
  if (isRecord(response) && isRecord(response["usage"])) seen.raw = { ...seen.raw, ...response["usage"] };
  const text = textOf(response, "text") || seen.said;
  return seen.hasMessage || text === "" ? [] : [newEvent({ type: "assistant_message", text })];
}

/** Ends such a client, as far as it can be ended. */
export async function endOlderClient(client: object): Promise<void> {
  await method(client, ["stop", "close"])?.();
}

/** The first of these methods that an object has. */
function method(object: object, names: readonly string[]): Method | undefined {
  for (const name of names) {
    const found: unknown = Reflect.get(object, name);
    if (typeof found === "function") return (argument) => Reflect.apply(found, object, [argument]);
  }
  return undefined;
}

function required(object: object, names: readonly string[]): Method {
  const found = method(object, names);
  if (found === undefined) throw new Error(`the SDK has none of the methods ${names.join(", ")}`);
  return found;
}

async function* chunksOf(answer: unknown): AsyncGenerator<Readonly<Record<string, unknown>>> {
  if (!isAsyncIterable(answer)) {
    if (isRecord(answer)) yield answer;
    return;
  }
  for await (const chunk of answer) yield isRecord(chunk) ? chunk : { type: "assistant_delta", text: String(chunk) };
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  isRecord(value) && Symbol.asyncIterator in value;
