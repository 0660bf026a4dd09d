import type { SessionEvent, SessionOutcome } from "../../engine/event.ts";
import { printable } from "../../lib/printable.ts";
import type { Conversation } from "./conversation.ts";
import { describeEvent, isToldAtEnd, outcomeLines } from "./describe-event.ts";
import { EXIT } from "../../lib/user-error.ts";

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
  const run = conversation.run(signal);
  let gate: string | undefined;
  for (let next = await run.next(); ; next = await run.next()) {
    if (next.done === true) return await finish({ ...next.value, gate }, view, conversation.id);
    if (next.value.type === "gate-gave-up") ({ gate } = next.value);
    view.onEvent(next.value);
    await show(next.value, view);
  }
}

async function show(event: SessionEvent, { out, say, json }: TaskView): Promise<void> {
  if (json) return await out(`${JSON.stringify(event)}\n`);
  const line = isToldAtEnd(event) ? undefined : describeEvent(event);
  if (line !== undefined) say(line);
}

/** `gate` is the one that gave up, if one did. */
type TaskOutcome = SessionOutcome & { readonly gate: string | undefined };

async function finish(outcome: TaskOutcome, { out, say, json }: TaskView, id: string): Promise<number> {
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

const NOT_ACCEPTED = 4;

/** 5: a limit was reached. 9: a gate other than the requested check never passed. 130: as a shell reports Ctrl-C. */
const CODES: Readonly<Record<SessionOutcome["reason"], number>> = {
  answered: EXIT.ok,
  failed: EXIT.failed,
  refused: EXIT.failed,
  rejected: EXIT.refused,
  "gate-gave-up": 9,
  limit: 5,
  aborted: 130,
};

const outcomeCode = ({ reason, gate }: TaskOutcome): number =>
  reason === "gate-gave-up" && gate === "acceptance" ? NOT_ACCEPTED : CODES[reason];
