import { readPayload } from "../agents/dialect/hook-event.ts";
import type { Dialect } from "../contract/dialect.ts";
import { isRecord } from "../lib/is-record.ts";
import { messageOf } from "../lib/message-of.ts";
import { refusal } from "./answer.ts";
import type { HookOutput } from "./hook-answer.ts";
import type { HookRequest } from "./server.ts";

/** What the wrapper of an agent's second hook is called with, after the event. */
export const SECOND = "second";

/**
 * Questions for an agent that drops changed arguments when a hook asks: its first hook changes the command, and its
 * second one, which sees the changed command, asks.
 */
export interface LaterQuestions {
  /** Throws when too many are waiting; the call must then be denied. */
  hold(command: string, because: string): void;
  /** The answer of the second hook: the question, or no opinion. */
  answer(request: HookRequest): HookOutput;
}

/** The second hook follows at once. */
const WAITING_MS = 60_000;
const MAX_WAITING = 200;

export function openLaterQuestions(dialect: Dialect, now = () => performance.now()): LaterQuestions {
  let waiting: { readonly command: string; readonly because: string; readonly until: number }[] = [];
  return {
    hold(command, because) {
      waiting = waiting.filter(({ until }) => until > now());
      if (waiting.length >= MAX_WAITING) throw new Error("too many questions are waiting");
      waiting.push({ command, because, until: now() + WAITING_MS });
    },
    answer({ event, text }) {
      if (event !== "tool-before") return { stdout: "{}\n", stderr: "", exit: 0 };
      try {
        const call = dialect.read(event, readPayload(text));
        const command = call.type === "tool-before" && isRecord(call.input) ? call.input["command"] : undefined;
        const index = waiting.findIndex((one) => one.command === command);
        const [question] = index === -1 ? [] : waiting.splice(index, 1);
        const answer = question === undefined ? {} : ({ verdict: "ask", because: question.because } as const);
        return { stdout: `${JSON.stringify(dialect.write(event, answer))}\n`, stderr: "", exit: 0 };
      } catch (error) {
        return refusal(event, dialect, `Blocked, because signalbox could not read this hook call: ${messageOf(error)}`);
      }
    },
  };
}
