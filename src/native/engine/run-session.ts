import { eventOrigin, type LoopEvent, type SessionEvent, type SessionOutcome } from "../../contract/engine-event.ts";
import type { History } from "../../contract/history.ts";
import { addUsage, answerText, type Message, NO_USAGE, type UserMessage } from "../../contract/message.ts";
import { type WorkCounter, workCounter } from "../../contract/work-metrics.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import { agentStopGate, askGates, type Gate, gateCounts } from "./gates.ts";
import { type EngineHooks, hooksProcessor, tellError } from "./hooks.ts";
import type { LoopAgent, LoopParts, Processor } from "./processor.ts";
import { progressTrail, type Trail, withTrail } from "./progress.ts";
import { interrupted, type PromptTurns, recorded, type RunOutcome, runTurns } from "./run-turns.ts";

/** An agent whose answers are judged. */
export interface JudgedAgent extends LoopAgent {
  /** In the order they are asked; the `agentStop` hooks come last. */
  readonly gates: readonly Gate[];
  readonly hooks: EngineHooks;
}

/** What the outer loop needs in addition to the inner one. */
export interface SessionParts extends LoopParts, JudgedAgent {
  readonly queue: PromptQueue;
  readonly newId: () => string;
  /** True when the session was interrupted before the gates had judged its last answer, so they run first. */
  readonly unjudged?: boolean;
  /** The work done before this run, which goes on counting. */
  readonly work?: WorkCounter;
  /** What was done since the last prompt, where the history may not show all of it. */
  readonly trail?: Trail;
  /** How often each gate had blocked in a row when the session was interrupted. */
  readonly blocked?: ReadonlyMap<string, number> | undefined;
  /** Yields the events of sub-agents in the background until none runs any more, or a prompt is waiting. */
  readonly background?: (() => AsyncGenerator<LoopEvent, void>) | undefined;
}

/**
 * The outer loop: takes prompts, runs the inner loop, and lets the gates judge every natural end. When a gate blocks,
 * its reason goes ahead of all other prompts. The session ends when no prompt is waiting and no gate objects.
 * A history that ends with a prompt or with results is continued immediately, which is how an interrupted session
 * resumes.
 */
export async function* runSession(history: History, parts: SessionParts): AsyncGenerator<SessionEvent, SessionOutcome> {
  const { queue, hooks, signal, work = workCounter() } = parts;
  const failures: SessionEvent[] = [];
  const failed = (error: unknown) =>
    failures.push({ type: "hook-failed", hook: "agentStop", because: messageOf(error) });
  const gates = [...parts.gates, agentStopGate(hooks, failed)];
  let counts = gateCounts(parts.blocked);
  const totals = sessionTotals(lastWords(history.messages), work);
  const { trail = progressTrail(history.messages) } = parts;
  let prompted: PromptTurns = { turns: 0, trail };
  let judged = parts.unjudged !== true || !endedNaturally(history.messages);

  while (true) {
    if (judged && !waitsForModel(history.messages)) {
      const prompt = queue.take();
      if (prompt === undefined) return yield* rest(totals.outcome("answered", ""));
      const message = yield* recorded(acceptPrompt(prompt, hooks), withTrail(history, trail), []);
      if (message === undefined) continue;
      if (!CONTINUES.has(message.source)) {
        prompted = { turns: 0, trail };
        counts = gateCounts();
        work.begin();
      }
      work.message(message);
    }
    if (judged) {
      const run = yield* withTotals(runTurns(history, innerParts(parts), prompted), totals, hooks);
      if (run.reason !== "answered") return yield* rest(totals.outcome(run.reason, run.because));
      if (yield* hasMore(parts, totals)) continue;
    }
    judged = true;

    const { metrics, recent } = work;
    const stop = { history: history.messages, text: totals.text(), metrics, recent, signal };
    const word = yield* askGates(gates, stop, counts, parts);
    yield* failures.splice(0);
    if (signal.aborted) return yield* rest(totals.outcome(...interrupted(parts.budget)));
    if (word.kind === "gave-up") return yield* rest({ ...totals.outcome("gate-gave-up", ""), ...word.outcome });
    if (word.kind === "passed") continue;
    const prompt = { id: parts.newId(), message: { role: "user", text: word.reason, source: "gate" } as const };
    queue.addFirst(prompt);
    yield { type: "prompt-queued", promptId: prompt.id, message: prompt.message };
  }
}

/** A complete answer without calls, or a call that ended the run. */
export function endedNaturally(history: readonly Message[]): boolean {
  const last = history.at(-1);
  return (last?.role === "assistant" && last.stop === "end") || endSummary(last) !== undefined;
}

/** True when the model has to answer next: a prompt or results are waiting for it. */
export function waitsForModel(history: readonly Message[]): boolean {
  const last = history.at(-1);
  return last !== undefined && last.role !== "assistant" && endSummary(last) === undefined;
}

/** The summary of the call that ended the run, if that is how it ended. */
export const endSummary = (message: Message | undefined) =>
  message?.role === "tool" ? message.results.find(({ ends }) => ends !== undefined)?.ends?.summary : undefined;

function lastWords(history: readonly Message[]): string {
  const last = history.at(-1);
  return last?.role === "assistant" ? answerText(last) : (endSummary(last) ?? "");
}

async function* rest(outcome: SessionOutcome): AsyncGenerator<SessionEvent, SessionOutcome> {
  yield { type: "idle", outcome };
  return outcome;
}

/** The inner loop's parts, with prompts that arrive while it works and all hooks. */
const innerParts = (parts: SessionParts): LoopParts => ({
  ...parts,
  processors: [steering(parts.queue, parts.hooks), hooksProcessor(parts.hooks), ...parts.processors],
});

/** One run of the inner loop, which counts its events and reports its errors to the hooks. */
async function* withTotals(
  turns: ReturnType<typeof runTurns>,
  totals: Totals,
  hooks: EngineHooks,
): AsyncGenerator<SessionEvent, RunOutcome> {
  while (true) {
    const next = await turns.next();
    if (next.done === true) return next.value;
    totals.count(next.value);
    yield next.value;
    if (next.value.type !== "request-failed") continue;
    const { because: message, retryInMs } = next.value;
    const event = {
      error: { name: "ModelError", message },
      errorContext: "model_call",
      recoverable: retryInMs !== null,
    } as const;
    for (const because of await tellError(hooks, event)) yield { type: "hook-failed", hook: "errorOccurred", because };
  }
}

/** Messages that go on with the same work. */
const CONTINUES: ReadonlySet<UserMessage["source"]> = new Set(["gate", "agent"]);

/** Waits for sub-agents in the background. What they found out comes before the gates: true when there is something. */
async function* hasMore(
  { background, queue, signal }: SessionParts,
  totals: Totals,
): AsyncGenerator<SessionEvent, boolean> {
  if (background === undefined) return false;
  for await (const event of background()) {
    totals.count(event);
    yield event;
  }
  return queue.size > 0 && !signal.aborted;
}

interface Totals {
  count(event: LoopEvent): void;
  /** The model's last text. */
  text(): string;
  outcome(reason: SessionOutcome["reason"], because: string): SessionOutcome;
}

/**
 * Adds up a session's usage. `words` is the model's last text so far. One request with an unknown price makes the whole
 * cost unknown.
 */
function sessionTotals(words: string, work: WorkCounter): Totals {
  let usage = NO_USAGE;
  let cost: number | undefined = 0;
  let turns = 0;
  let text = words;
  return {
    count(whole) {
      const { agents, event } = eventOrigin(whole);
      if (event.type === "turn-start") {
        if (agents.length === 0) turns++;
        work.turn();
      }
      if (event.type === "tool-end") work.deeds(event.deeds);
      if (event.type === "message" && agents.length === 0) work.message(event.message);
      if (agents.length === 0) text = textOf(event) ?? text;
      if (event.type !== "usage") return;
      cost = cost === undefined || event.cost === undefined ? undefined : cost + event.cost;
      if (event.usage !== undefined) usage = addUsage(usage, event.usage);
    },
    text: () => text,
    outcome: (reason, because) => ({ reason, because, text, turns, usage, cost }),
  };
}

/** The model's text in an event. */
function textOf(event: SessionEvent): string | undefined {
  if (event.type === "response") return event.text;
  return event.type === "message" && event.message.role === "assistant" ? answerText(event.message) : undefined;
}

export interface QueuedPrompt {
  readonly id: string;
  readonly message: UserMessage;
}

/** Prompts waiting for their turn. */
export interface PromptQueue {
  add(prompt: QueuedPrompt): void;
  addFirst(prompt: QueuedPrompt): void;
  take(): QueuedPrompt | undefined;
  /** False when it is not waiting any more. */
  remove(id: string): boolean;
  readonly size: number;
}

export function promptQueue(initial: readonly QueuedPrompt[] = []): PromptQueue {
  const prompts = [...initial];
  return {
    add: (prompt) => void prompts.push(prompt),
    addFirst: (prompt) => void prompts.unshift(prompt),
    take: () => prompts.shift(),
    remove(id) {
      const at = prompts.findIndex((prompt) => prompt.id === id);
      return at !== -1 && prompts.splice(at, 1).length > 0;
    },
    get size() {
      return prompts.length;
    },
  };
}

/** Appends a prompt to the history, as modified by the hooks. Returns nothing when a hook refuses it. */
async function* acceptPrompt(
  prompt: QueuedPrompt,
  hooks: EngineHooks,
): AsyncGenerator<LoopEvent, UserMessage | undefined> {
  const { id: promptId, message } = prompt;
  let { text } = message;
  const added: string[] = [];
  // Only a person's text goes through the hooks: a gate's reason is not a prompt.
  for (const hook of message.source === "person" ? (hooks.userPromptSubmitted ?? []) : []) {
    const word = await hook({ prompt: text });
    if (word?.decision === "block") {
      yield { type: "prompt-refused", promptId, because: word.reason ?? "a hook refused it" };
      return undefined;
    }
    text = word?.modifiedPrompt ?? text;
    if (word?.additionalContext !== undefined) added.push(word.additionalContext);
  }
  const accepted: UserMessage = { ...message, text: [text, ...added].join("\n\n").toWellFormed() };
  yield { type: "message", message: accepted, promptId };
  return accepted;
}

/** Passes prompts that arrived while the model worked to its next request, instead of holding them until the end. */
function steering(queue: PromptQueue, hooks: EngineHooks): Processor {
  return {
    name: "queued prompts",
    async *preRequest() {
      for (let prompt = queue.take(); prompt !== undefined; prompt = queue.take()) yield* acceptPrompt(prompt, hooks);
    },
  };
}
