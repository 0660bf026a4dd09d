import { type History, openHistory } from "../../contract/history.ts";
import type { Image, Message, UserMessage } from "../../contract/message.ts";
import type { SessionRecord, UndoRecord } from "../../contract/session-record.ts";
import type { LoopEvent, SessionEvent, SessionOutcome } from "../../contract/engine-event.ts";
import { type Compaction, compactNow, measureNext } from "../engine/compaction.ts";
import { type EngineHooks, tellError } from "../engine/hooks.ts";
import { progressTrail } from "../engine/progress.ts";
import { promptQueue } from "../engine/prompt-queue.ts";
import { type Budget, type BudgetLimits, openBudget } from "../engine/budget.ts";
import { endedNaturally, runSession, type SessionParts, waitsForModel } from "../engine/run-session.ts";
import { callIds } from "../engine/run-turns.ts";
import type { Trail } from "../engine/trail.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import { randomId } from "../../lib/files/random-id.ts";
import { historyEdit, replay } from "../log/replay.ts";
import { openLedger } from "./session-ledger.ts";
import type { Delegation } from "../agents/delegation.ts";
import type { Session } from "../log/session-log.ts";

/** A session with its engine. Everything that happens is logged before anyone else sees it. */
export interface Conversation {
  readonly id: string;
  /** The name of the model. */
  readonly model: string;
  /** What the session has cost so far, in US dollars; undefined when the price of any request is unknown. */
  readonly cost: number | undefined;
  readonly history: readonly Message[];
  /** True if a prompt, an answer, or a gate's decision is still pending, so `run` has something to do. */
  readonly unfinished: boolean;
  /** Prompts that the model has not seen yet. */
  readonly queued: number;
  /** How the last run ended; undefined before the first. */
  readonly outcome: SessionOutcome | undefined;
  /** Queues a prompt and returns its id. It is on disk when this returns. */
  add(text: string, images?: readonly Image[]): string;
  /** Takes a queued prompt back. False when the model has it already. */
  withdraw(promptId: string): boolean;
  /** The tokens of the next request, and the model's window. */
  measure(): Promise<{ readonly tokens: number; readonly limit: number }>;
  /** Replaces the conversation by a summary of it and what must be kept. Not while it runs. */
  compact(signal: AbortSignal): AsyncGenerator<SessionEvent, void>;
  /** Logs that turns were taken back or brought back, and changes the conversation accordingly. Not while it runs. */
  rewind(record: UndoRecord): void;
  /** Waits for work beside the conversation that has been told to end, and logs what is left to log. */
  close(): Promise<void>;
  /** Runs until there is nothing left to do. One run at a time. */
  run(signal: AbortSignal): AsyncGenerator<SessionEvent, SessionOutcome>;
}

export type EngineParts = Omit<
  SessionParts,
  | "queue"
  | "signal"
  | "newId"
  | "cacheKey"
  | "unjudged"
  | "budget"
  | "work"
  | "trail"
  | "usedIds"
  | "blocked"
  | "beside"
> & {
  readonly limits?: BudgetLimits;
  /** The budget of another conversation that this one belongs to, instead of limits of its own. */
  readonly sharedBudget?: Budget;
  readonly delegation?: Delegation;
  readonly compaction: Compaction;
  /** Called when messages have left the history, so that nothing refers to them any more. */
  readonly onShortened?: () => void;
  /** Called at the end of every run. */
  readonly onRest?: () => void;
};

const MEASURE_MS = 2_000;

/** Continues a session from the end of its log. Calls `personSpoke` for every prompt from the user. */
export function converse(session: Session, parts: EngineParts, personSpoke: () => void = () => {}): Conversation {
  const { before, history, ...own } = goOn(session, parts);
  const { trail, queue, budget, beside } = own;
  let outcome: SessionOutcome | undefined;
  let unjudged = before.rested === undefined;
  const ledger = openLedger(session, before, parts);
  const { log, logModel } = ledger;
  logModel();
  const logBeside = () => void beside.splice(0).map(log);
  const always = { ...own, newId: randomId, cacheKey: session.id };
  return {
    id: session.id,
    get model() {
      return parts.model.name;
    },
    get cost() {
      return ledger.cost;
    },
    get history() {
      return history.messages;
    },
    get unfinished() {
      return queue.size > 0 || waitsForModel(history.messages) || (unjudged && endedNaturally(history.messages));
    },
    get queued() {
      return queue.size;
    },
    get outcome() {
      return outcome;
    },
    add(text, images = []) {
      personSpoke();
      const queued = logPrompt(session, prompt(text, images));
      queue.add(queued);
      parts.delegation?.wake();
      return queued.id;
    },
    withdraw: (promptId) => queue.remove(promptId) && logWithdrawal(session, promptId),
    async *run(stop) {
      logModel();
      const judging = { unjudged, blocked: unjudged ? before.blocked : undefined };
      const more = { ...always, ...judging, signal: inTime(stop, budget) };
      const running = runSession(history, { ...parts, ...more, processors: [parts.compaction, ...parts.processors] });
      unjudged = false;
      try {
        return (outcome = yield* logged(running, log, parts));
      } finally {
        logBeside();
        parts.onRest?.();
      }
    },
    rewind: (record) => void (unjudged = !applied(record, { session, history, trail, parts }) && unjudged),
    close: () => parts.compaction.settled().then(logBeside),
    measure: () => measureNext(history, { ...parts, budget, beside, signal: AbortSignal.timeout(MEASURE_MS) }),
    async *compact(signal) {
      for await (const event of compactNow(history, { ...parts, budget, beside, signal })) yield log(event);
    },
  };
}

/** Where the log of a session left off. */
function goOn(session: Session, parts: EngineParts) {
  const { work, ...before } = replay(session.before);
  const queue = promptQueue(before.queued);
  const budget = budgetOf(parts, { turns: work.metrics.turns, cost: before.knownCost });
  const beside: LoopEvent[] = [];
  parts.delegation?.begin({ budget, beside, queue });
  const trail = trailOf(session.before);
  const said = session.before.flatMap((record) => (record.type === "message" ? [record.message] : []));
  const usedIds = callIds([...before.history, ...said]);
  return { before, history: openHistory(before.history), work, trail, usedIds, queue, budget, beside };
}

/** What was done since the last prompt, as the whole log says and not only the history, which may have been shortened. */
function trailOf(records: readonly SessionRecord[]): Trail {
  const trail = progressTrail();
  for (const record of records) {
    const edit = historyEdit(record);
    if (record.type === "undo" && edit !== undefined) trail.clear();
    else if (edit !== undefined) trail.apply(edit);
  }
  return trail;
}

const budgetOf = ({ sharedBudget, limits = {}, clock }: EngineParts, spent: { turns: number; cost: number }) =>
  sharedBudget ?? openBudget(limits, { now: () => clock.now(), spent });

/** Aborts with the time of the session, too. */
function inTime(stop: AbortSignal, budget: Budget): AbortSignal {
  const { ms } = budget.left();
  return ms === undefined ? stop : AbortSignal.any([stop, AbortSignal.timeout(Math.ceil(ms))]);
}

interface Rewinding {
  readonly session: Session;
  readonly history: History;
  readonly trail: Trail;
  readonly parts: Pick<EngineParts, "onShortened">;
}

/** Whether the conversation is another one now. */
function applied(record: UndoRecord, { session, history, trail, parts }: Rewinding): boolean {
  session.append(record);
  if (record.step === "begun") return false;
  history.apply({ type: "history-replaced", pieces: record.pieces ?? [] });
  trail.clear();
  parts.onShortened?.();
  return true;
}

function logPrompt(session: Session, message: UserMessage) {
  const promptId = randomId();
  session.append({ type: "queued", promptId, message, first: false });
  return { id: promptId, message };
}

function logWithdrawal(session: Session, promptId: string): true {
  session.append({ type: "refused", promptId, because: "the person took it back" });
  return true;
}

async function* logged(
  running: ReturnType<typeof runSession>,
  log: (event: SessionEvent) => SessionEvent,
  { hooks, delegation }: Pick<EngineParts, "hooks" | "delegation">,
): ReturnType<typeof runSession> {
  try {
    for (let next = await running.next(); ; next = await running.next()) {
      if (next.done === true) return next.value;
      yield log(next.value);
    }
  } catch (error) {
    await tellSystemError(hooks, error);
    throw error;
  } finally {
    await delegation?.end();
  }
}

const prompt = (text: string, images: readonly Image[]): UserMessage => ({
  role: "user",
  text,
  source: "person",
  ...(images.length === 0 ? {} : { images: [...images] }),
});

/** The error itself is reported by whoever catches it, so a hook that fails as well adds nothing. */
async function tellSystemError(hooks: EngineHooks, error: unknown): Promise<void> {
  const name = error instanceof Error ? error.name : "Error";
  await tellError(hooks, { error: { name, message: messageOf(error) }, errorContext: "system", recoverable: false });
}
