import type { CallPart, Message, ToolResult, TokenUsage, UserMessage } from "../contract/message.ts";
import type { SessionRecord } from "../contract/session-record.ts";

/** The state of a session after its records. */
export interface Replayed {
  /** Valid for every provider: a call whose end was not recorded gets a result that says so. */
  readonly history: readonly Message[];
  /** Prompts that were queued but not yet used, in order. */
  readonly queued: readonly { readonly id: string; readonly message: UserMessage }[];
  readonly usage: TokenUsage;
  /** Undefined when the price of any request is unknown. */
  readonly cost: number | undefined;
  readonly model: string;
  /** The model's address; undefined when it was not recorded. */
  readonly baseUrl: string | undefined;
  /** Why the session last ended, if nothing has happened since. */
  readonly rested: string | undefined;
}

const STARTED =
  "The program was stopped while this call was running, and its result is lost. It may have taken effect: check before you repeat it.";
const NOT_STARTED = "The program was stopped before this call started. It did not run.";

/** Replays the records of a log. Finished calls are never reopened, so nothing is redone. */
export function replay(records: readonly SessionRecord[]): Replayed {
  const chosen = records.findLast((record) => record.type === "session" || record.type === "model");
  const { model = "", baseUrl } = chosen ?? {};
  const last = records.findLast((record) => record.type !== "session" && record.type !== "model");
  const rested = last?.type === "rest" ? last.reason : undefined;
  return {
    history: replayHistory(records),
    queued: replayQueue(records),
    ...replayUsage(records),
    model,
    baseUrl,
    rested,
  };
}

function replayHistory(records: readonly SessionRecord[]): readonly Message[] {
  let history: Message[] = [];
  let open: OpenCalls | undefined;
  const settle = () => {
    if (open !== undefined) history.push({ role: "tool", results: open.calls.map((call) => resultOf(call, open)) });
    open = undefined;
  };
  for (const record of records) {
    if (record.type === "call-start") open?.started.add(record.callId);
    if (record.type === "call-end") open?.ended.set(record.result.callId, record.result);
    if (record.type !== "message" && record.type !== "history") continue;
    settle();
    if (record.type === "history") history = [...record.history];
    else history.push(record.message);
    open = record.type === "message" ? openCalls(record.message) : undefined;
  }
  settle();
  return history;
}

function replayQueue(records: readonly SessionRecord[]): Replayed["queued"] {
  const queued: { id: string; message: UserMessage }[] = [];
  for (const record of records) {
    if (record.type === "queued") {
      queued.splice(record.first ? 0 : queued.length, 0, { id: record.promptId, message: record.message });
    } else if (record.type === "message" || record.type === "refused") {
      const index = queued.findIndex(({ id }) => id === record.promptId);
      if (index !== -1) queued.splice(index, 1);
    }
  }
  return queued;
}

function replayUsage(records: readonly SessionRecord[]): Pick<Replayed, "usage" | "cost"> {
  let usage: TokenUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  let cost: number | undefined = 0;
  for (const record of records) {
    if (record.type !== "usage") continue;
    cost = cost === undefined || record.cost === undefined ? undefined : cost + record.cost;
    if (record.usage !== undefined) usage = added(usage, record.usage);
  }
  return { usage, cost };
}

interface OpenCalls {
  readonly calls: readonly CallPart[];
  readonly started: Set<string>;
  readonly ended: Map<string, ToolResult>;
}

function openCalls(message: Message): OpenCalls | undefined {
  const calls = message.role === "assistant" ? message.parts.filter((part) => part.type === "call") : [];
  return calls.length === 0 ? undefined : { calls, started: new Set(), ended: new Map() };
}

function resultOf({ id: callId, name }: CallPart, open: OpenCalls | undefined): ToolResult {
  const lost = open?.started.has(callId) === true ? STARTED : NOT_STARTED;
  return open?.ended.get(callId) ?? { callId, name, text: lost, failed: true };
}

const added = (one: TokenUsage, other: TokenUsage): TokenUsage => ({
  input: one.input + other.input,
  output: one.output + other.output,
  cacheRead: one.cacheRead + other.cacheRead,
  cacheWrite: one.cacheWrite + other.cacheWrite,
});
