import { openHistory } from "../contract/history.ts";
import type { Message } from "../contract/message.ts";
import { historyEdit } from "./replay.ts";
import type { Stamped } from "./record-line.ts";

/** Messages that a session no longer shows to its model. They are still in its log. */
export interface Dropped {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly because: string;
  readonly messages: readonly Message[];
}

/** What was left out of a conversation, each time it was shortened. A changed message counts as left out. */
export function droppedIn(records: readonly Stamped[]): readonly Dropped[] {
  const history = openHistory();
  const dropped: Dropped[] = [];
  for (const { record, at } of records) {
    const edit = historyEdit(record);
    if (edit === undefined) continue;
    if (record.type !== "history" && record.type !== "undo") {
      history.apply(edit);
      continue;
    }
    history.settle();
    const whole = history.messages;
    history.apply(edit);
    const kept = new Set(history.messages);
    const messages = whole.filter((message) => !kept.has(message) && !isOurs(message));
    if (messages.length > 0)
      dropped.push({ at, because: "because" in record ? record.because : record.direction, messages });
  }
  return dropped;
}

/** A summary or a block of state that stood for something else. */
const isOurs = (message: Message) =>
  message.role === "user" && (message.source === "summary" || message.source === "state");
