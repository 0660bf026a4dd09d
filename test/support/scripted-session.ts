import * as z from "zod";
import { EngineSettings } from "../../src/contract/engine-settings.ts";
import { type History, openHistory } from "../../src/contract/history.ts";
import type { AnswerPart, AssistantMessage, Message } from "../../src/contract/message.ts";
import type { Tool, ToolContext, ToolOutput } from "../../src/contract/tool.ts";
import { limitsOf, type Model, ModelError, type ModelRequest } from "../../src/models/model.ts";
import { type Compaction, compaction } from "../../src/native/engine/compaction.ts";
import { openBudget } from "../../src/native/engine/processor.ts";
import { promptQueue, runSession, type SessionParts } from "../../src/native/engine/run-session.ts";
import { recorded, requestStep, runTurns, toolOffers } from "../../src/native/engine/run-turns.ts";

/** One answer of a rehearsed model: a message, or a failure after some words. */
export type Line = AssistantMessage | { readonly fails: ModelError; readonly after?: string };

/** An answer in words. */
export const says = (text: string): AssistantMessage => ({
  role: "assistant",
  parts: text === "" ? [] : [{ type: "text", text }],
  stop: "end",
});

/** An answer that calls tools, by name, with `{ n }` as arguments; ids are c1, c2, … in the order of `ids`. */
export const calls = (...parts: readonly AnswerPart[]): AssistantMessage => ({
  role: "assistant",
  parts: [...parts],
  stop: "calls",
});

export const call = (id: string, name: string, input: Record<string, unknown> = {}): AnswerPart => ({
  type: "call",
  id,
  name,
  input,
});

export const fails = (kind: ModelError["kind"], after = ""): Line => ({
  fails: new ModelError(`a ${kind} failure`, { kind }),
  after,
});

export const asks = (text: string): Message => ({ role: "user", text, source: "person" });

interface Rehearsed {
  readonly model: Model;
  readonly requests: ModelRequest[];
}

/** A model that says its lines, one for each request, then "done". It keeps what it was asked. */
export function rehearsed(...lines: readonly Line[]): Rehearsed {
  const requests: ModelRequest[] = [];
  const model: Model = {
    name: "rehearsed/model",
    limits: limitsOf(undefined),
    async learnLimits() {},
    cost: () => undefined,
    async *ask(request, signal) {
      signal.throwIfAborted();
      const line = lines[requests.length] ?? says("done");
      requests.push({ ...request, history: [...request.history] });
      const text = "fails" in line ? (line.after ?? "") : wordsOf(line);
      if (text !== "") yield { type: "text-delta", text };
      signal.throwIfAborted();
      if ("fails" in line) throw line.fails;
      yield { type: "answer", message: line, usage: undefined };
    },
  };
  return { model, requests };
}

const wordsOf = (message: AssistantMessage) =>
  message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");

/** The same model with a price: every answer reports a few tokens, and costs so many dollars. */
export function priced(model: Model, dollars: number): Model {
  const usage = { input: 10, output: 1, cacheRead: 0, cacheWrite: 0 };
  return {
    ...model,
    cost: () => dollars,
    async *ask(request, signal) {
      for await (const event of model.ask(request, signal)) yield event.type === "answer" ? { ...event, usage } : event;
    },
  };
}

/** A tool that does what it is told here. */
export function tool(
  name: string,
  run: (input: Record<string, unknown>, context: ToolContext) => Promise<ToolOutput> | ToolOutput,
  sideBySide = false,
): Tool {
  return {
    name,
    description: name,
    input: z.looseObject({}),
    sideBySide,
    run: async (input, context) => run(z.record(z.string(), z.unknown()).parse(input), context),
  };
}

/** Parts with a clock that takes no time and keeps what it was asked to wait. */
export function sessionParts(
  model: Model,
  { tools = [], ...more }: Partial<Omit<SessionParts, "tools">> & { readonly tools?: readonly Tool[] } = {},
): SessionParts & { waited: number[]; compaction: Compaction } {
  const waited: number[] = [];
  let ids = 0;
  let time = 0;
  const settings = EngineSettings.parse({});
  const clock = {
    now: () => time,
    random: () => 0.5,
    async pause(milliseconds: number, signal: AbortSignal) {
      signal.throwIfAborted();
      time += milliseconds;
      waited.push(milliseconds);
    },
  };
  const lifetime = new AbortController().signal;
  return {
    model,
    system: "Be brief.",
    tools: () => tools,
    processors: [],
    budget: openBudget({}, { now: () => time }),
    beside: [],
    settings,
    signal: new AbortController().signal,
    clock,
    compaction: compaction({ model, settings, clock, signal: lifetime }),
    queue: promptQueue(),
    gates: [],
    hooks: {},
    newId: () => `p${++ids}`,
    waited,
    ...more,
  };
}

/** Shortens a history while no run is going on, as a conversation does for `/compact`. */
export function compactNow(history: History, parts: ReturnType<typeof sessionParts>) {
  const step = requestStep(0, { history }, toolOffers(parts.tools)().offers, parts);
  return recorded(parts.compaction.now(step), (edit) => history.apply(edit), parts.beside);
}

/** Every event of a generator, and what it returned. */
async function played<Event, Result>(generator: AsyncGenerator<Event, Result>) {
  const events: Event[] = [];
  for (let next = await generator.next(); ; next = await generator.next()) {
    if (next.done === true) return { events, result: next.value };
    events.push(next.value);
  }
}

/** The inner loop played to its end on a history, with the history it left. */
export async function playTurns(start: readonly Message[], parts: SessionParts) {
  const history = openHistory(start);
  const { events, result } = await played(runTurns(history, parts));
  return { events, result: { ...result, history: history.messages } };
}

/** The outer loop played to its end on a history, with the history it left. */
export async function playSession(start: readonly Message[], parts: SessionParts) {
  const history = openHistory(start);
  const { events, result: outcome } = await played(runSession(history, parts));
  return { events, result: { outcome, history: history.messages } };
}
