import type { SessionEvent } from "../../contract/engine-event.ts";
import { type TimerLine, timerLine } from "../../lib/process/timer-line.ts";

/** Shows how long we have been waiting for the model, or the last line of the command that runs. */
export interface WaitingLine extends Omit<TimerLine, "start" | "show"> {
  /** Starts and stops the wait according to a session's events. */
  see(event: SessionEvent): void;
}

/** `free` returns whether the cursor's line may be overwritten; what the user types there takes precedence. */
export function waitingLine(model: string, free: () => boolean = () => true): WaitingLine {
  const line = timerLine(`asking ${model}`, free);
  let isInTurn = false;
  return {
    ...line,
    see(event) {
      if (event.type === "turn-start" || event.type === "turn-end") isInTurn = event.type === "turn-start";
      if (isInTurn && isBeforeRequest(event)) line.start();
      else if (event.type === "tool-progress") line.show(event.text);
      else if (event.type !== "text-delta" && event.type !== "thinking-delta") line.stop();
    },
    [Symbol.dispose]: () => line[Symbol.dispose](),
  };
}

/** The model is asked next, for a summary or for its answer. */
function isBeforeRequest(event: SessionEvent): boolean {
  if (event.type === "request-failed") return event.retryInMs !== null;
  return event.type === "message" ? event.message.role === "user" : BEFORE_REQUEST.has(event.type);
}

const BEFORE_REQUEST: ReadonlySet<SessionEvent["type"]> = new Set([
  "turn-start",
  "history-replaced",
  "compaction-start",
  "compaction-end",
  "compaction-failed",
  "compaction-stopped",
]);
