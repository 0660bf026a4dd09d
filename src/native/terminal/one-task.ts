import type { SessionEvent, SessionOutcome } from "../../contract/engine-event.ts";
import { drained } from "../../lib/process/tasks.ts";
import { type TimerLine, timerLine } from "../../lib/process/timer-line.ts";
import { printable } from "../../lib/text/printable.ts";
import { EXIT } from "../../lib/text/user-error.ts";
import type { Conversation } from "../session/conversation.ts";
import { describeEvent, isToldAtEnd, outcomeLines } from "./event-lines.ts";

export interface TaskView {
  /** Standard output: only the answer, or every event as a line of JSON. */
  readonly out: (text: string) => Promise<void>;
  /** Standard error: progress. */
  readonly say: (text: string) => void;
  readonly json: boolean;
  /** Called for every event before it is shown. */
  readonly onEvent: (event: SessionEvent) => void;
}

/** Runs what is pending in a conversation, shows it, and returns the exit code. */
export async function runTask(conversation: Conversation, view: TaskView, signal: AbortSignal): Promise<number> {
  const outcome = await drained(conversation.run(signal), async (event) => {
    view.onEvent(event);
    await show(event, view);
  });
  return await finish(outcome, view, conversation.id);
}

async function show(event: SessionEvent, { out, say, json }: TaskView): Promise<void> {
  if (json) return await out(`${JSON.stringify(event)}\n`);
  const line = isToldAtEnd(event) ? undefined : describeEvent(event);
  if (line !== undefined) say(line);
}

async function finish(outcome: SessionOutcome, { out, say, json }: TaskView, id: string): Promise<number> {
  const code = outcomeCode(outcome);
  if (json) return code;
  if (outcome.text !== "") await out(`${printable(outcome.text)}\n`);
  if (outcome.reason !== "answered") {
    const lines = outcomeLines(outcome);
    // The verdict comes last, where people look for it.
    for (const line of [...lines.slice(0, -1), `resume with: signalbox sessions resume ${id}`, ...lines.slice(-1)])
      say(line);
  }
  return code;
}

/** 5: a limit was reached. 6: it went in circles. 130: what a shell reports for Ctrl-C. A gate that gave up brings its own code. */
const CODES: Readonly<Record<SessionOutcome["reason"], number>> = {
  answered: EXIT.ok,
  failed: EXIT.failed,
  refused: EXIT.failed,
  rejected: EXIT.refused,
  "gate-gave-up": EXIT.failed,
  limit: 5,
  "no-progress": 6,
  aborted: 130,
};

const outcomeCode = ({ reason, exitCode }: SessionOutcome): number => exitCode ?? CODES[reason];

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
