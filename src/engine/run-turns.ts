import { answerText } from "../contract/answer-text.ts";
import { dollars } from "../lib/dollars.ts";
import type { AssistantMessage, CallPart, Message } from "../contract/message.ts";
import type { ModelError } from "../models/model-error.ts";
import type { ToolOffer } from "../models/model.ts";
import { askModel, type Attempt } from "./ask-model.ts";
import type { LoopEvent, RunEndReason } from "./event.ts";
import type { LoopParts } from "./parts.ts";
import { runCalls } from "./run-calls.ts";
import { tidyAnswer } from "./tidy-answer.ts";
import * as z from "zod";
import type { Tool } from "../contract/tool.ts";

/** How a run of the inner loop ended, and the resulting history, which is valid for every provider in all cases. */
export interface RunOutcome {
  readonly history: readonly Message[];
  readonly reason: RunEndReason;
  readonly because: string;
}

/** What the work on one prompt has used up. Runs requested by a gate continue the counts of the previous run. */
export interface Spent {
  turns: number;
  cost: number;
}

/** The inner loop: asks the model and runs its calls, until it answers without a call or something ends the run. */
export async function* runTurns(
  history: readonly Message[],
  parts: LoopParts,
  spent: Spent = { turns: 0, cost: 0 },
): AsyncGenerator<LoopEvent, RunOutcome> {
  const run: Run = { history: [...history], usedIds: callIds(history), offers: toolOffers(parts.tools), spent };
  const limits = { turns: parts.settings.turns, cost: parts.mostCost };
  for (let turn = 1; ; turn++) {
    const over = limitReached(spent, limits);
    if (over !== undefined) return yield* finish(run, ["limit", over]);
    yield { type: "turn-start", turn };
    spent.turns++;
    const end = yield* oneTurn(turn, run, parts);
    yield { type: "turn-end", turn };
    if (end !== undefined) return yield* finish(run, end);
  }
}

function limitReached(spent: Spent, limits: { turns: number; cost: number | undefined }): string | undefined {
  if (limits.cost !== undefined && spent.cost >= limits.cost) return `the run cost ${dollars(spent.cost)}`;
  return spent.turns >= limits.turns ? `${limits.turns} turns used up` : undefined;
}

interface Run {
  history: Message[];
  readonly usedIds: Set<string>;
  readonly offers: readonly ToolOffer[];
  readonly spent: Spent;
}

type End = readonly [reason: RunEndReason, because: string];

async function* finish({ history }: Run, [reason, because]: End): AsyncGenerator<LoopEvent, RunOutcome> {
  yield { type: "run-end", reason, because };
  return { history, reason, because };
}

/** One request, its answer, and the calls in it. Returns why the run ends here, if it does. */
async function* oneTurn(turn: number, run: Run, parts: LoopParts): AsyncGenerator<LoopEvent, End | undefined> {
  const { signal, model } = parts;
  for (const processor of parts.processors) {
    if (signal.aborted || processor.preRequest === undefined) continue;
    const changed = yield* processor.preRequest({ turn, history: run.history, signal });
    if (changed !== undefined) run.history = [...changed];
  }
  if (signal.aborted) return INTERRUPTED;

  const attempt = yield* askModel({ turn, history: run.history, offers: run.offers }, parts);
  if (attempt.history !== run.history) run.history = [...attempt.history];
  if (attempt.kind !== "answer") return yield* unanswered(attempt, run);
  const cost = attempt.usage === undefined ? undefined : model.cost(attempt.usage);
  run.spent.cost += cost ?? 0;
  yield { type: "usage", usage: attempt.usage, cost };

  const { message, dropped } = tidyAnswer(attempt.message, run.usedIds);
  yield* add(message, run);
  const calls = message.parts.filter((part) => part.type === "call");
  if (calls.length === 0) return yield* answered(message);

  const done = yield* runCalls({ calls, dropped }, parts);
  yield* add(done.message, run);
  if (signal.aborted) return INTERRUPTED;
  return done.rejected === undefined ? undefined : ["rejected", done.rejected];
}

const INTERRUPTED: End = ["aborted", "interrupted"];

async function* add(message: Message, run: Run): AsyncGenerator<LoopEvent, void> {
  run.history.push(message);
  yield { type: "message", message };
}

/** The part of an interrupted answer that the person saw stays in the history, as text only. */
async function* unanswered(
  attempt: Exclude<Attempt, { readonly kind: "answer" }>,
  run: Run,
): AsyncGenerator<LoopEvent, End> {
  if (attempt.kind === "failed") return ["failed", reasonOf(attempt.error)];
  const text = attempt.text.toWellFormed();
  if (text.trim() !== "") yield* add({ role: "assistant", parts: [{ type: "text", text }], stop: "cut" }, run);
  return INTERRUPTED;
}

function reasonOf({ kind, message }: ModelError): string {
  if (kind !== "too-large") return message;
  return `the conversation is too large for the model, and cannot be shortened further (${message}); use a model with a larger context, or start a new session`;
}

async function* answered(message: AssistantMessage): AsyncGenerator<LoopEvent, End> {
  if (message.stop === "length") return ["limit", "the answer was cut off at the model's limit"];
  if (message.stop === "refusal") return ["refused", "the model or its provider refused to answer"];
  yield { type: "response", text: answerText(message) };
  return ["answered", ""];
}

function callIds(history: readonly Message[]): Set<string> {
  const isCall = (part: AssistantMessage["parts"][number]): part is CallPart => part.type === "call";
  return new Set(
    history.flatMap((message) =>
      message.role === "assistant" ? message.parts.filter(isCall).map(({ id }) => id) : [],
    ),
  );
}

/** The tools as a model sees them, always in the same order, because they are the start of what a provider caches. */
function toolOffers(tools: readonly Tool[]): readonly ToolOffer[] {
  return tools.map(({ name, description, input, inputSchema }) => ({
    name,
    description,
    schema: inputSchema ?? schemaOf(input),
  }));
}

function schemaOf(input: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input", target: "draft-7" });
  return schema;
}
