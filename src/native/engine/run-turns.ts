import * as z from "zod";
import type { LoopEvent, RunEndReason } from "../../contract/engine-event.ts";
import type { History } from "../../contract/history.ts";
import {
  answerText,
  type AssistantMessage,
  type CallPart,
  type Message,
  type TokenUsage,
} from "../../contract/message.ts";
import type { Tool } from "../../contract/tool.ts";
import type { ModelError, ToolOffer } from "../../models/model.ts";
import { askModel, type Attempt } from "./ask-model.ts";
import { type Budget, charged, type LoopParts, type RequestStep } from "./processor.ts";
import { progressTrail, progressWatch, type Trail, withTrail } from "./progress.ts";
import { runCalls, tidyAnswer } from "./run-calls.ts";

/** How a run of the inner loop ended. The history is valid for every provider in all cases. */
export interface RunOutcome {
  readonly reason: RunEndReason;
  readonly because: string;
}

/** What belongs to one prompt, and goes on in the runs that a gate requests. */
export interface PromptTurns {
  turns: number;
  readonly trail: Trail;
}

/** The inner loop: asks the model and runs its calls, until it answers without a call or something ends the run. */
export async function* runTurns(
  history: History,
  parts: LoopParts,
  prompt: PromptTurns = { turns: 0, trail: progressTrail(history.messages) },
): AsyncGenerator<LoopEvent, RunOutcome> {
  return yield* recorded(takeTurns(history, parts, prompt), withTrail(history, prompt.trail), parts.beside);
}

async function* takeTurns(
  history: History,
  parts: LoopParts,
  prompt: PromptTurns,
): AsyncGenerator<LoopEvent, RunOutcome> {
  const run: Run = { history, usedIds: parts.usedIds ?? callIds(history.messages), offered: toolOffers(parts.tools) };
  const { turns } = parts.settings;
  const noteProgress = progressWatch(prompt.trail, parts);
  for (let turn = 1; ; turn++) {
    const over = parts.budget.over() ?? (prompt.turns >= turns ? `${turns} turns used up` : undefined);
    if (over !== undefined) return yield* finish(["limit", over]);
    const circling = yield* noteProgress();
    if (circling !== undefined) return yield* finish(["no-progress", circling]);
    yield { type: "turn-start", turn };
    prompt.turns++;
    parts.budget.charge({ turns: 1 });
    const end = yield* oneTurn(turn, run, parts);
    yield { type: "turn-end", turn };
    if (end !== undefined) return yield* finish(end);
  }
}

interface Run {
  readonly history: History;
  readonly usedIds: Set<string>;
  readonly offered: () => OfferedTools;
  lastUsage?: TokenUsage | undefined;
}

type End = readonly [reason: RunEndReason, because: string];

async function* finish([reason, because]: End): AsyncGenerator<LoopEvent, RunOutcome> {
  yield { type: "run-end", reason, because };
  return { reason, because };
}

/** One request, its answer, and the calls in it. Returns why the run ends here, if it does. */
async function* oneTurn(turn: number, run: Run, parts: LoopParts): AsyncGenerator<LoopEvent, End | undefined> {
  const { signal } = parts;
  await parts.awaitTools?.(signal);
  const { offers, byName: tools } = run.offered();
  const step = () => requestStep(turn, run, offers, parts);
  for (const processor of parts.processors) {
    if (!signal.aborted && processor.preRequest !== undefined) yield* processor.preRequest(step());
  }
  if (signal.aborted) return interrupted(parts.budget);

  const attempt = yield* askModel(step, parts);
  if (attempt.kind !== "answer") return yield* unanswered(attempt, parts);
  run.lastUsage = attempt.usage;
  yield charged(attempt.usage, parts.model, parts.budget);

  const { message, dropped } = tidyAnswer(attempt.message, run.usedIds);
  yield { type: "message", message };
  const calls = message.parts.filter((part) => part.type === "call");
  if (calls.length === 0) return yield* answered(message);

  const done = yield* runCalls({ calls, tools, dropped }, parts);
  if (signal.aborted) return interrupted(parts.budget);
  if (done.rejected !== undefined) return ["rejected", done.rejected];
  if (done.ended === undefined) return undefined;
  yield { type: "response", text: done.ended };
  return ["answered", ""];
}

/** The request as it would be made now. */
export const requestStep = (
  turn: number,
  run: { readonly history: History; readonly lastUsage?: TokenUsage | undefined },
  offers: readonly ToolOffer[],
  parts: LoopParts,
): RequestStep => ({
  turn,
  system: parts.system,
  // It changes with every event that a processor yields.
  get history() {
    return run.history.messages;
  },
  tools: offers,
  lastUsage: run.lastUsage,
  left: parts.budget.left(),
  signal: parts.signal,
  charge: (usage, agent) => charged(usage, parts.model, parts.budget, agent),
  report: (event) => parts.beside.push(event),
});

/** By a person, or by the end of the time. */
export const interrupted = (budget: Budget): End =>
  budget.left().ms === 0 ? ["limit", budget.over() ?? ""] : ["aborted", "interrupted"];

/** The part of an interrupted answer that the person saw stays in the history, as text only. */
async function* unanswered(
  attempt: Exclude<Attempt, { readonly kind: "answer" }>,
  parts: LoopParts,
): AsyncGenerator<LoopEvent, End> {
  if (attempt.kind === "failed") return ["failed", reasonOf(attempt.error)];
  const text = attempt.text.toWellFormed();
  if (text.trim() !== "")
    yield { type: "message", message: { role: "assistant", parts: [{ type: "text", text }], stop: "cut" } };
  return interrupted(parts.budget);
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

/** The ids of the calls in these messages. */
export function callIds(history: readonly Message[]): Set<string> {
  const isCall = (part: AssistantMessage["parts"][number]): part is CallPart => part.type === "call";
  return new Set(
    history.flatMap((message) =>
      message.role === "assistant" ? message.parts.filter(isCall).map(({ id }) => id) : [],
    ),
  );
}

/** The tools of one turn: as a model sees them, and by name. */
interface OfferedTools {
  readonly offers: readonly ToolOffer[];
  readonly byName: ReadonlyMap<string, Tool>;
}

/**
 * Offers tools in the order in which each was first seen, because they are the start of what a provider caches. Where
 * two have one name, the first is offered.
 */
export function toolOffers(tools: () => readonly Tool[]): () => OfferedTools {
  const known = new Map<Tool, ToolOffer>();
  const places = new Map<string, number>();
  return () => {
    const byName = new Map<string, Tool>();
    for (const tool of tools()) {
      if (byName.has(tool.name)) continue;
      byName.set(tool.name, tool);
      if (!places.has(tool.name)) places.set(tool.name, places.size);
      if (!known.has(tool)) known.set(tool, offerOf(tool));
    }
    const sorted = [...byName].toSorted(([one], [other]) => (places.get(one) ?? 0) - (places.get(other) ?? 0));
    return { offers: sorted.flatMap(([, tool]) => known.get(tool) ?? []), byName };
  };
}

const offerOf = ({ name, description, input, inputSchema }: Tool): ToolOffer => ({
  name,
  description,
  schema: inputSchema ?? schemaOf(input),
});

function schemaOf(input: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input", target: "draft-7" });
  return schema;
}

/**
 * Applies every event to the history before anyone else sees it, so that yielding an event is the only way to change
 * the history. Events of work beside the loop are yielded with the others.
 */
export async function* recorded<Event extends { readonly type: string }, Result>(
  events: AsyncGenerator<Event, Result>,
  apply: History["apply"],
  beside: Event[],
): AsyncGenerator<Event, Result> {
  // A reader that stops early ends the events as well.
  await using source = events;
  for (let next = await source.next(); ; next = await source.next()) {
    yield* beside.splice(0);
    if (next.done === true) return next.value;
    apply(next.value);
    yield next.value;
  }
}
