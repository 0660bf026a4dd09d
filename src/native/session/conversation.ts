import {
  eventOrigin,
  type LoopEvent,
  type SessionEvent,
  type SessionOutcome,
  type UsageEvent,
} from "../../contract/engine-event.ts";
import { type History, openHistory } from "../../contract/history.ts";
import type { Image, Message, UserMessage } from "../../contract/message.ts";
import type { SessionRecord, UndoRecord } from "../../contract/session-record.ts";
import { loggedDeed } from "../../contract/work-metrics.ts";
import { randomId } from "../../lib/files/random-id.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import type { Compaction } from "../engine/compaction.ts";
import { type EngineHooks, tellError } from "../engine/hooks.ts";
import { type Budget, type BudgetLimits, openBudget } from "../engine/processor.ts";
import { progressTrail, type Trail } from "../engine/progress.ts";
import {
  endedNaturally,
  type JudgedAgent,
  type PromptQueue,
  promptQueue,
  runSession,
  waitsForModel,
} from "../engine/run-session.ts";
import { callIds, recorded, requestStep, toolOffers } from "../engine/run-turns.ts";
import { historyEdit, replay, type Replayed } from "../log/replay.ts";
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

/** An agent that works in a conversation. */
export interface TalkingAgent extends JudgedAgent {
  readonly compaction: Compaction;
  readonly limits?: BudgetLimits;
  /** The budget of another conversation that this one belongs to, instead of limits of its own. */
  readonly sharedBudget?: Budget;
  readonly helpers?: Helpers;
  /** Called when messages have left the history, so that nothing refers to them any more. */
  readonly onShortened?: () => void;
  /** Called at the end of every run. */
  readonly onRest?: () => void;
}

/** What a conversation offers to the sub-agents of its agent. */
export interface LiveAgent {
  readonly budget: Budget;
  readonly beside: LoopEvent[];
  readonly queue: PromptQueue;
}

/** The sub-agents of an agent, none of which outlives a run of its conversation. */
export interface Helpers {
  /** Called before anything runs. */
  readonly begin: (live: LiveAgent) => void;
  /** Yields what sub-agents in the background do, until none runs any more or a prompt is waiting. */
  readonly background: () => AsyncGenerator<LoopEvent, void>;
  /** A prompt has come, so nobody needs to wait for sub-agents any longer. */
  readonly wake: () => void;
  /** Ends the sub-agents that still run, and waits for them. */
  readonly end: () => Promise<void>;
}

const MEASURE_MS = 2_000;

/** Continues a session from the end of its log. Calls `personSpoke` for every prompt from the user. */
export function converse(session: Session, agent: TalkingAgent, personSpoke: () => void = () => {}): Conversation {
  const { before, history, run } = goOn(session, agent);
  const { queue, budget, beside, trail } = run;
  const { log, logModel, total } = openLedger(session, before, agent);
  logModel();
  const logBeside = () => void beside.splice(0).map(log);
  const nextStep = (signal: AbortSignal) =>
    requestStep(0, { history }, toolOffers(agent.tools)().offers, { ...agent, budget, beside, signal });
  let outcome: SessionOutcome | undefined;
  let unjudged = before.rested === undefined;
  return {
    id: session.id,
    get model() {
      return agent.model.name;
    },
    get cost() {
      return total();
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
      return addPrompt(logPrompt(session, prompt(text, images)), queue, agent);
    },
    withdraw: (promptId) => queue.remove(promptId) && logWithdrawal(session, promptId),
    async *run(stop) {
      logModel();
      const processors = [agent.compaction, ...agent.processors];
      const judging = { unjudged, blocked: unjudged ? before.blocked : undefined };
      const signal = inTime(stop, budget);
      const running = runSession(history, { ...agent, ...run, ...judging, processors, signal });
      unjudged = false;
      return (outcome = yield* logged(running, log, agent, logBeside));
    },
    rewind(record) {
      if (!rewound(record, session, { history, trail })) return;
      agent.onShortened?.();
      unjudged = false;
    },
    close: () => agent.compaction.settled().then(logBeside),
    measure: () => agent.compaction.measure(nextStep(AbortSignal.timeout(MEASURE_MS))),
    async *compact(signal) {
      const shortening = agent.compaction.now(nextStep(signal));
      for await (const event of recorded(shortening, (edit) => history.apply(edit), beside)) yield log(event);
    },
  };
}

function addPrompt(queued: Parameters<PromptQueue["add"]>[0], queue: PromptQueue, { helpers }: TalkingAgent): string {
  queue.add(queued);
  helpers?.wake();
  return queued.id;
}

/** Whether the conversation is another one now. */
function rewound(
  record: UndoRecord,
  session: Session,
  { history, trail }: { readonly history: History; readonly trail: Trail },
): boolean {
  session.append(record);
  if (record.step === "begun") return false;
  history.apply({ type: "history-replaced", pieces: record.pieces ?? [] });
  trail.clear();
  return true;
}

/** Where the log of a session left off, and what all runs from there share. */
function goOn(session: Session, agent: TalkingAgent) {
  const { work, ...before } = replay(session.before);
  const queue = promptQueue(before.queued);
  const budget = budgetOf(agent, work.metrics.turns, before.knownCost);
  const beside: LoopEvent[] = [];
  agent.helpers?.begin({ budget, beside, queue });
  const run = {
    queue,
    budget,
    beside,
    work,
    trail: trailOf(session.before),
    usedIds: callIds([...before.history, ...messagesIn(session.before)]),
    background: agent.helpers?.background,
    newId: randomId,
    cacheKey: session.id,
  };
  return { before, history: openHistory(before.history), run };
}

const messagesIn = (records: readonly SessionRecord[]) =>
  records.flatMap((record) => (record.type === "message" ? [record.message] : []));

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

const budgetOf = ({ sharedBudget, limits = {}, clock }: TalkingAgent, turns: number, cost: number) =>
  sharedBudget ?? openBudget(limits, { now: () => clock.now(), spent: { turns, cost } });

/** Aborts with the time of the session, too. */
function inTime(stop: AbortSignal, budget: Budget): AbortSignal {
  const { ms } = budget.left();
  return ms === undefined ? stop : AbortSignal.any([stop, AbortSignal.timeout(Math.ceil(ms))]);
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
  { hooks, helpers, onRest }: TalkingAgent,
  logBeside: () => void,
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
    try {
      await helpers?.end();
    } finally {
      logBeside();
      onRest?.();
    }
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

/** Writes what happens in a session to its log, before anyone else sees it, and adds up what it costs. */
interface SessionLedger {
  /** In US dollars, from the beginning of the session; undefined when the price of any request is unknown. */
  readonly total: () => number | undefined;
  readonly log: (event: SessionEvent) => SessionEvent;
  /** Logs the model and its effort if they are not those that the log names. */
  readonly logModel: () => void;
}

function openLedger(
  session: Session,
  before: Omit<Replayed, "work">,
  { model, onShortened }: TalkingAgent,
): SessionLedger {
  let { cost } = before;
  const isNew = session.before.length === 0;
  let logged = isNew
    ? { name: model.name, baseUrl: model.baseUrl, effort: undefined }
    : { name: before.model, baseUrl: before.baseUrl, effort: before.effort };
  return {
    total: () => cost,
    log(event) {
      const record = recordEvent(event);
      if (record !== undefined) session.append(record);
      if (record?.type === "usage")
        cost = cost === undefined || record.cost === undefined ? undefined : cost + record.cost;
      if (event.type === "history-replaced") onShortened?.();
      return event;
    },
    logModel() {
      const { name, baseUrl, effort } = model;
      if (logged.name === name && logged.baseUrl === baseUrl && logged.effort === effort) return;
      logged = { name, baseUrl, effort };
      const where = baseUrl === undefined ? {} : { baseUrl };
      session.append({ type: "model", model: name, ...where, ...(effort === undefined ? {} : { effort }) });
    },
  };
}

/** The log record of an event; undefined for events that only an observer needs. */
function recordEvent(event: SessionEvent): SessionRecord | undefined {
  switch (event.type) {
    case "message":
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
      return usageRecord(event);
    case "child":
      return childRecord(event);
    case "tool-start":
      return { type: "call-start", callId: event.call.id };
    case "tool-end":
      return {
        type: "call-end",
        result: event.result,
        ...(event.deeds.length === 0 ? {} : { deeds: event.deeds.map(loggedDeed) }),
      };
    case "history-replaced":
      return { type: "history", pieces: [...event.pieces], because: event.because };
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

/** What a sub-agent says is in its own log. What it costs and what it did belong to the session. */
function childRecord(child: SessionEvent): SessionRecord | undefined {
  const { agents, event } = eventOrigin(child);
  const agent = agents.join("/");
  if (event.type === "usage")
    return event.agent === undefined
      ? { ...usageRecord({ ...event, agent }), turn: true }
      : usageRecord({ ...event, agent: `${agent}/${event.agent}` });
  if (event.type !== "tool-end" || event.deeds.length === 0) return undefined;
  const { callId, name, failed } = event.result;
  return { type: "call-end", result: { callId, name, text: "", failed }, deeds: event.deeds.map(loggedDeed), agent };
}

function usageRecord({ usage, cost, agent }: UsageEvent): Extract<SessionRecord, { type: "usage" }> {
  return {
    type: "usage",
    ...(usage === undefined ? {} : { usage }),
    ...(cost === undefined ? {} : { cost }),
    ...(agent === undefined ? {} : { agent }),
  };
}
