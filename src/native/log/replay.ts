import type { Effort, WorkMode } from "../../contract/engine-settings.ts";
import { type HistoryEdit, openHistory } from "../../contract/history.ts";
import { addUsage, type Message, NO_USAGE, type TokenUsage, type UserMessage } from "../../contract/message.ts";
import { isPreparation, type SessionRecord } from "../../contract/session-record.ts";
import { type WorkCounter, workCounter } from "../../contract/work-metrics.ts";

/** The state of a session after its records. */
export interface Replayed {
  /** Valid for every provider: a call whose end was not recorded gets a result that says so. */
  readonly history: readonly Message[];
  /** Prompts that were queued but not yet used, in order. */
  readonly queued: readonly { readonly id: string; readonly message: UserMessage }[];
  readonly usage: TokenUsage;
  /** Undefined when the price of any request is unknown. */
  readonly cost: number | undefined;
  /** The part of the cost that is known. */
  readonly knownCost: number;
  readonly work: WorkCounter;
  /** How often each gate has blocked in a row, if the session has not rested since. */
  readonly blocked: ReadonlyMap<string, number>;
  readonly model: string;
  /** The model's address; undefined when it was not recorded. */
  readonly baseUrl: string | undefined;
  /** How much the model was told to think, if anything. */
  readonly effort: Effort | undefined;
  /** The mode it was last switched to; undefined if it never was. */
  readonly mode: WorkMode | undefined;
  /** Why the session last ended, if nothing has happened since. */
  readonly rested: string | undefined;
}

/** Replays the records of a log. Finished calls are never reopened, so nothing is redone. */
export function replay(records: readonly SessionRecord[]): Replayed {
  const chosen = records.findLast((record) => record.type === "session" || record.type === "model");
  const { model = "", baseUrl } = chosen ?? {};
  const effort = chosen?.type === "model" ? chosen.effort : undefined;
  const last = records.findLast((record) => !isPreparation(record));
  const rested = last?.type === "rest" ? last.reason : last?.type === "undo" ? last.direction : undefined;
  return {
    history: replayHistory(records),
    queued: replayQueue(records),
    ...replayUsage(records),
    work: replayWork(records),
    blocked: replayGates(records),
    model,
    baseUrl,
    effort,
    mode: records.findLast((record) => record.type === "mode")?.mode,
    rested,
  };
}

function replayHistory(records: readonly SessionRecord[]): readonly Message[] {
  const history = openHistory();
  for (const record of records) {
    const edit = historyEdit(record);
    if (edit !== undefined) history.apply(edit);
  }
  history.settle();
  return history.messages;
}

/** The change that a record made to the history. Records of sub-agents have made none. */
export function historyEdit(record: SessionRecord): HistoryEdit | undefined {
  if ("agent" in record && record.agent !== undefined) return undefined;
  switch (record.type) {
    case "message":
      return { type: "message", message: record.message };
    case "call-start":
      return { type: "tool-start", call: { id: record.callId } };
    case "call-end":
      return { type: "tool-end", result: record.result };
    case "history": {
      const { history = [], pieces = history.map((add) => ({ add })) } = record;
      return { type: "history-replaced", pieces };
    }
    case "undo":
      return record.pieces === undefined ? undefined : { type: "history-replaced", pieces: record.pieces };
    default:
      return undefined;
  }
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

function replayUsage(records: readonly SessionRecord[]): Pick<Replayed, "usage" | "cost" | "knownCost"> {
  let usage = NO_USAGE;
  let cost: number | undefined = 0;
  let knownCost = 0;
  for (const record of records) {
    if (record.type !== "usage") continue;
    knownCost += record.cost ?? 0;
    cost = cost === undefined || record.cost === undefined ? undefined : cost + record.cost;
    if (record.usage !== undefined) usage = addUsage(usage, record.usage);
  }
  return { usage, cost, knownCost };
}

/** Each request of the session's agent, and of its sub-agents, that was answered is a turn. */
function replayWork(records: readonly SessionRecord[]): WorkCounter {
  const work = workCounter();
  let hasRested = true;
  for (const record of records) {
    if (record.type === "rest") hasRested = true;
    if (
      hasRested &&
      record.type === "message" &&
      record.message.role === "user" &&
      record.message.source === "person"
    ) {
      work.begin();
      hasRested = false;
    }
    if (record.type === "message" && record.agent === undefined) work.message(record.message);
    if (record.type === "usage" && (record.agent === undefined || record.turn === true)) work.turn();
    if (record.type === "call-end") work.deeds(record.deeds ?? []);
  }
  return work;
}

function replayGates(records: readonly SessionRecord[]): ReadonlyMap<string, number> {
  const blocked = new Map<string, number>();
  for (const record of records) {
    if (record.type === "rest") blocked.clear();
    if (record.type !== "gate") continue;
    if (record.word === "blocked") blocked.set(record.gate, (blocked.get(record.gate) ?? 0) + 1);
    else blocked.delete(record.gate);
  }
  return blocked;
}
