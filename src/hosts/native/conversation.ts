import type { Image, Message } from "../../contract/message.ts";
import type { SessionEvent, SessionOutcome } from "../../engine/event.ts";
import { type EngineHooks, tellError } from "../../engine/hooks.ts";
import { promptQueue } from "../../engine/prompt-queue.ts";
import { endedNaturally, runSession, type SessionParts } from "../../engine/run-session.ts";
import { messageOf } from "../../lib/message-of.ts";
import { randomId } from "../../lib/random-id.ts";
import { replay } from "../../sessions/replay.ts";
import type { Session } from "../../sessions/session.ts";
import type { SessionRecord } from "../../contract/session-record.ts";

/** A session with its engine. Everything that happens is logged before anyone else sees it. */
export interface Conversation {
  readonly id: string;
  /** The name of the model. */
  readonly model: string;
  readonly history: readonly Message[];
  /** True if a prompt, an answer, or a gate's decision is still pending, so `run` has something to do. */
  readonly unfinished: boolean;
  /** Prompts that the model has not seen yet. */
  readonly queued: number;
  /** How the last run ended; undefined before the first. */
  readonly outcome: SessionOutcome | undefined;
  /** Queues a prompt. It is on disk when this returns. */
  add(text: string, images?: readonly Image[]): void;
  /** Runs until there is nothing left to do. One run at a time. */
  run(signal: AbortSignal): AsyncGenerator<SessionEvent, SessionOutcome>;
}

export type EngineParts = Omit<SessionParts, "queue" | "signal" | "newId" | "cacheKey" | "unjudged">;

/** Continues a session from the end of its log. Calls `personSpoke` for every prompt from the user. */
export function converse(session: Session, parts: EngineParts, personSpoke: () => void = () => {}): Conversation {
  const before = replay(session.before);
  const queue = promptQueue(before.queued);
  let { history } = before;
  let outcome: SessionOutcome | undefined;
  let unjudged = before.rested === undefined;
  const { name, baseUrl } = parts.model;
  if (session.before.length > 0 && (before.model !== name || before.baseUrl !== baseUrl)) {
    session.append({ type: "model", model: name, ...(baseUrl === undefined ? {} : { baseUrl }) });
  }
  return {
    id: session.id,
    model: name,
    get history() {
      return history;
    },
    get unfinished() {
      const waits = history.length > 0 && history.at(-1)?.role !== "assistant";
      return queue.size > 0 || waits || (unjudged && endedNaturally(history));
    },
    get queued() {
      return queue.size;
    },
    get outcome() {
      return outcome;
    },
    add(text, images = []) {
      const message = {
        role: "user",
        text,
        source: "person",
        ...(images.length === 0 ? {} : { images: [...images] }),
      } as const;
      const promptId = randomId();
      personSpoke();
      session.append({ type: "queued", promptId, message, first: false });
      queue.add({ id: promptId, message });
    },
    async *run(signal) {
      const more = { queue, signal, newId: randomId, cacheKey: session.id, unjudged };
      const running = runSession(history, { ...parts, ...more });
      unjudged = false;
      try {
        for (let next = await running.next(); ; next = await running.next()) {
          if (next.done === true) {
            ({ history, outcome } = next.value);
            return outcome;
          }
          const record = recordEvent(next.value);
          if (record !== undefined) session.append(record);
          yield next.value;
        }
      } catch (error) {
        await tellSystemError(parts.hooks, error);
        throw error;
      }
    },
  };
}

/** The error itself is reported by whoever catches it, so a hook that fails as well adds nothing. */
async function tellSystemError(hooks: EngineHooks, error: unknown): Promise<void> {
  const name = error instanceof Error ? error.name : "Error";
  await tellError(hooks, { error: { name, message: messageOf(error) }, errorContext: "system", recoverable: false });
}

/** The log record of an event; undefined for events that only an observer needs. */
function recordEvent(event: SessionEvent): SessionRecord | undefined {
  switch (event.type) {
    case "message":
      if (event.message.role === "tool") return undefined;
      return {
        type: "message",
        message: event.message,
        ...(event.promptId === undefined ? {} : { promptId: event.promptId }),
      };
    case "prompt-queued":
      return { type: "queued", promptId: event.promptId, message: event.message, first: true };
    case "prompt-refused":
      return { type: "refused", promptId: event.promptId, because: event.because };
    case "usage":
      return {
        type: "usage",
        ...(event.usage === undefined ? {} : { usage: event.usage }),
        ...(event.cost === undefined ? {} : { cost: event.cost }),
      };
    case "tool-start":
      return { type: "call-start", callId: event.call.id };
    case "tool-end":
      return { type: "call-end", result: event.result };
    case "history-replaced":
      return { type: "history", history: [...event.history], because: event.because };
    case "gate-blocked":
      return { type: "gate", gate: event.gate, word: "blocked", reason: event.reason };
    case "gate-gave-up":
      return { type: "gate", gate: event.gate, word: "gave-up", reason: event.reason };
    case "gate-passed":
      return { type: "gate", gate: event.gate, word: "passed", reason: "" };
    case "idle":
      return { type: "rest", reason: event.outcome.reason, because: event.outcome.because };
    default:
      return undefined;
  }
}
