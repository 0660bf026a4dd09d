import type { Message, TokenUsage } from "../contract/message.ts";
import { agentStopGate, askGates, type Gate, type GateCounts } from "./gates.ts";
import type { LoopEvent, SessionEvent, SessionOutcome } from "./event.ts";
import { type EngineHooks, hooksProcessor } from "./hooks.ts";
import type { LoopParts } from "./parts.ts";
import { acceptPrompt, type PromptQueue, steering } from "./prompt-queue.ts";
import { answerText } from "../contract/answer-text.ts";
import { type RunOutcome, runTurns, type Spent } from "./run-turns.ts";
import { messageOf } from "../lib/message-of.ts";

/** What the outer loop needs in addition to the inner one. */
export interface SessionParts extends LoopParts {
  readonly queue: PromptQueue;
  /** In the order they are asked; the `agentStop` hooks come last. */
  readonly gates: readonly Gate[];
  readonly hooks: EngineHooks;
  /**
   * Anything that differs after work was done, such as a hash of the tree. If unknown, all blocks count as consecutive.
   */
  readonly fingerprint?: (signal: AbortSignal) => Promise<string | undefined>;
  readonly newId: () => string;
  /** True when the session was interrupted before the gates had judged its last answer, so they run first. */
  readonly unjudged?: boolean;
}

/** The final history, and how the session ended. */
export interface SessionRest {
  readonly history: readonly Message[];
  readonly outcome: SessionOutcome;
}

/**
 * The outer loop: takes prompts, runs the inner loop, and lets the gates judge every natural end. When a gate blocks,
 * its reason goes ahead of all other prompts. The session ends when no prompt is waiting and no gate objects.
 * A history that ends with a prompt or with results is continued immediately, which is how an interrupted session
 * resumes.
 */
export async function* runSession(
  start: readonly Message[],
  parts: SessionParts,
): AsyncGenerator<SessionEvent, SessionRest> {
  const { queue, hooks, signal } = parts;
  const failures: SessionEvent[] = [];
  const failed = (error: unknown) =>
    failures.push({ type: "hook-failed", hook: "agentStop", because: messageOf(error) });
  const gates = [...parts.gates, agentStopGate({ hooks, failed })];
  const counts: GateCounts = { blocks: new Map(), changes: 0 };
  const totals = sessionTotals(lastWords(start));
  let history = start;
  let spent: Spent = { turns: 0, cost: 0 };
  let judged = parts.unjudged !== true || !endedNaturally(start);

  while (true) {
    if (judged && !waitsForModel(history)) {
      const prompt = queue.take();
      if (prompt === undefined) return yield* rest(history, totals.outcome("answered", ""));
      const message = yield* acceptPrompt(prompt, hooks);
      if (message === undefined) continue;
      if (message.source !== "gate") spent = { turns: 0, cost: 0 };
      history = [...history, message];
    }
    if (judged) {
      const run = yield* withTotals(runTurns(history, innerParts(parts), spent), totals, hooks);
      history = run.history;
      if (run.reason !== "answered") return yield* rest(history, totals.outcome(run.reason, run.because));
    }
    judged = true;

    const step = { history, text: totals.text(), signal };
    const word = yield* askGates(gates, { step, counts, parts });
    yield* failures.splice(0);
    if (signal.aborted) return yield* rest(history, totals.outcome("aborted", "interrupted"));
    if (word.kind === "gave-up") return yield* rest(history, totals.outcome("gate-gave-up", word.because));
    if (word.kind === "passed") continue;
    const prompt = { id: parts.newId(), message: { role: "user", text: word.reason, source: "gate" } as const };
    queue.addFirst(prompt);
    yield { type: "prompt-queued", promptId: prompt.id, message: prompt.message };
  }
}

/** A complete answer without calls. */
export function endedNaturally(history: readonly Message[]): boolean {
  const last = history.at(-1);
  return last?.role === "assistant" && last.stop === "end";
}

function lastWords(history: readonly Message[]): string {
  const last = history.at(-1);
  return last?.role === "assistant" ? answerText(last) : "";
}

const waitsForModel = (history: readonly Message[]) => history.length > 0 && history.at(-1)?.role !== "assistant";

async function* rest(history: readonly Message[], outcome: SessionOutcome): AsyncGenerator<SessionEvent, SessionRest> {
  yield { type: "idle", outcome };
  return { history, outcome };
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
    for (const hook of hooks.errorOccurred ?? []) {
      try {
        await hook(event);
      } catch (error) {
        yield { type: "hook-failed", hook: "errorOccurred", because: messageOf(error) };
      }
    }
  }
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
function sessionTotals(words: string): Totals {
  let usage: TokenUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  let cost: number | undefined = 0;
  let turns = 0;
  let text = words;
  return {
    count(event) {
      if (event.type === "turn-start") turns++;
      if (event.type === "message" && event.message.role === "assistant") text = answerText(event.message);
      if (event.type !== "usage") return;
      cost = cost === undefined || event.cost === undefined ? undefined : cost + event.cost;
      if (event.usage !== undefined) usage = sum(usage, event.usage);
    },
    text: () => text,
    outcome: (reason, because) => ({ reason, because, text, turns, usage, cost }),
  };
}

const sum = (one: TokenUsage, other: TokenUsage): TokenUsage => ({
  input: one.input + other.input,
  output: one.output + other.output,
  cacheRead: one.cacheRead + other.cacheRead,
  cacheWrite: one.cacheWrite + other.cacheWrite,
});
