import * as z from "zod";
import type { LoopEvent, ModelCall, SessionEvent, ToolEnd } from "../../contract/engine-event.ts";
import type { AnswerPart, AssistantMessage, CallPart, ToolResult } from "../../contract/message.ts";
import type { Tool, ToolOutput } from "../../contract/tool.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { merge, whenAborted } from "../../lib/process/tasks.ts";
import { nearestFew } from "../../lib/text/nearest.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import type { CallRuling, LoopParts, Processor } from "./processor.ts";

interface Called {
  readonly calls: readonly CallPart[];
  /** The tools that were offered with the request. */
  readonly tools: ReadonlyMap<string, Tool>;
  /** How many calls of the answer were dropped because there were too many. */
  readonly dropped: number;
}

interface CallsOutcome {
  /** A person's reason to end the run. */
  readonly rejected: string | undefined;
  /** The model's summary, when one of the calls ends the run. */
  readonly ended: string | undefined;
}

/**
 * Runs the calls of one answer, in order; adjacent read-only calls run in parallel. Processors are asked right
 * before a batch, so that they judge the state in which it runs. Every call gets exactly one result, in call order.
 */
export async function* runCalls(
  { calls, tools, dropped }: Called,
  parts: LoopParts,
): AsyncGenerator<LoopEvent, CallsOutcome> {
  let rejected: string | undefined;
  let ended: string | undefined;
  let hasFailed = false;

  for (const batch of batches(calls, tools)) {
    const isTooSoon = hasFailed && batch.some(({ name }) => tools.get(name)?.endsRun === true);
    const stopped = rejected === undefined ? undefined : `not run: ${rejected}`;
    const skip = parts.signal.aborted ? NOT_BEGUN : (stopped ?? (isTooSoon ? TOO_SOON : undefined));
    const read = batch.map((part) => readCall(part, tools, part === calls.at(-1) ? tooMany(dropped) : undefined));
    const ruled: Ruled =
      skip === undefined
        ? await rule(read, parts)
        : { calls: read.map(({ call }) => ({ call, because: skip })), rejected: undefined };
    rejected ??= ruled.rejected;
    for await (const event of runBatch(ruled.calls, parts)) {
      if (event.type === "tool-end") {
        ended ??= event.result.ends?.summary;
        hasFailed ||= event.result.failed;
      }
      yield event;
    }
  }
  return { rejected, ended };
}

const NOT_BEGUN = "interrupted before it started";
const TOO_SOON =
  "not taken: another call of the same answer failed. Look at its result before you say that you are done.";

const tooMany = (dropped: number) =>
  dropped === 0 ? undefined : `[${dropped} more calls in this answer were ignored: at most ${MAX_CALLS} at a time]`;

/**
 * Adjacent calls that may run in parallel share a batch; every other call gets its own. A call that ends the run comes
 * last, because it speaks for all of them.
 */
function batches(calls: readonly CallPart[], tools: ReadonlyMap<string, Tool>): CallPart[][] {
  const found: CallPart[][] = [];
  const isLast = ({ name }: CallPart) => tools.get(name)?.endsRun === true;
  let open: CallPart[] | undefined;
  for (const call of calls.toSorted((one, other) => Number(isLast(one)) - Number(isLast(other)))) {
    const sideBySide = runsSideBySide(call, tools.get(call.name));
    if (sideBySide && open !== undefined) open.push(call);
    else found.push((open = [call]));
    if (!sideBySide) open = undefined;
  }
  return found;
}

function runsSideBySide({ input }: CallPart, tool: Tool | undefined): boolean {
  if (typeof tool?.sideBySide !== "function") return tool?.sideBySide === true;
  const parsed = tool.input.safeParse(input);
  return parsed.success && tool.sideBySide(parsed.data);
}

async function* runBatch(calls: readonly (ReadyCall | FailedCall)[], parts: LoopParts): AsyncGenerator<LoopEvent> {
  for (const item of calls) {
    yield { type: "tool-start", call: item.call };
    if (isReady(item)) continue;
    const result = resultOf(item.call, { text: item.because, failed: true }, item.notes);
    yield { type: "tool-end", result, ran: false, deeds: [] };
  }
  const tasks = calls
    .filter(isReady)
    .map((ready) => async (emit: (event: LoopEvent) => void) => emit(await runCall(ready, parts, emit)));
  yield* merge(tasks, parts.settings.parallel_calls);
}

interface Ruled {
  readonly calls: readonly (ReadyCall | FailedCall)[];
  readonly rejected: string | undefined;
}

/** Asks every processor in turn about the calls that have not been refused yet. */
async function rule(read: readonly (ReadyCall | FailedCall)[], parts: LoopParts): Promise<Ruled> {
  let calls = read;
  let rejected: string | undefined;
  for (const processor of parts.processors) {
    const standing = calls.filter(isReady);
    if (processor.preTools === undefined || standing.length === 0) continue;
    const rulings = await rulingsOf(processor, standing, parts.signal);
    rejected ??= rulings.find((ruling) => ruling.kind === "reject")?.because;
    calls = calls.map((item) => (isReady(item) ? apply(item, rulings) : item));
  }
  if (rejected === undefined) return { calls, rejected };
  // A person said stop, so nothing else in this batch runs either.
  const because = `not run: ${rejected}`;
  return { calls: calls.map((item) => (isReady(item) ? { call: item.call, because } : item)), rejected };
}

async function rulingsOf(
  processor: Processor,
  standing: readonly ReadyCall[],
  signal: AbortSignal,
): Promise<readonly CallRuling[]> {
  try {
    return (
      (await processor.preTools?.(
        standing.map(({ call }) => call),
        signal,
      )) ?? []
    );
  } catch (error) {
    const because = signal.aborted ? NOT_BEGUN : `${processor.name} failed, so nothing was run: ${messageOf(error)}`;
    return standing.map(({ call }) => ({ kind: "deny", callId: call.id, because }));
  }
}

function apply(ready: ReadyCall, rulings: readonly CallRuling[]): ReadyCall | FailedCall {
  let item: ReadyCall | FailedCall = ready;
  for (const ruling of rulings) {
    if (ruling.callId !== ready.call.id || !isReady(item)) continue;
    item = applyOne(item, ruling);
  }
  return item;
}

function applyOne(ready: ReadyCall, ruling: CallRuling): ReadyCall | FailedCall {
  switch (ruling.kind) {
    case "deny":
      return { call: ready.call, because: `not allowed: ${ruling.because}`, notes: ready.notes };
    case "reject":
      return { call: ready.call, because: `the user rejected this call: ${ruling.because}`, notes: ready.notes };
    case "change":
      return parseInput({ ...ready, call: { ...ready.call, input: ruling.input } });
    case "note":
      return { ...ready, notes: [...ready.notes, ruling.text] };
  }
}

/** A call that may run, with its arguments as parsed by the tool's schema. */
export interface ReadyCall {
  readonly call: ModelCall;
  readonly tool: Tool;
  /** Notes from processors, passed to the model with the result. */
  readonly notes: readonly string[];
}

/** A call that will not run, with the reason for the model. */
export interface FailedCall {
  readonly call: ModelCall;
  readonly because: string;
  /** As for a call that runs. */
  readonly notes?: readonly string[];
}

const isReady = (call: ReadyCall | FailedCall): call is ReadyCall => "tool" in call;

/**
 * Parses the arguments of a call. An unknown tool or bad arguments are the model's mistakes, so they are data, not
 * errors.
 */
export function readCall(part: CallPart, tools: ReadonlyMap<string, Tool>, note?: string): ReadyCall | FailedCall {
  const call: ModelCall = { id: part.id, name: part.name, input: part.input };
  if (part.malformed !== undefined) {
    const because = `the arguments are not a complete JSON object: ${part.malformed.slice(0, 500)}`;
    return { call, because };
  }
  const tool = tools.get(part.name);
  if (tool === undefined) {
    return { call, because: unknownTool(part.name, [...tools.keys()]) };
  }
  return parseInput({ call, tool, notes: note === undefined ? [] : [note] });
}

const MAX_NAMED = 24;

/** The whole list only where it is short: a model with hundreds of tools has made a mistake in one name. */
function unknownTool(name: string, names: readonly string[]): string {
  if (names.length <= MAX_NAMED) return `unknown tool ${name}; available tools: ${names.join(", ")}`;
  const near = nearestFew(name, names, 5);
  return `unknown tool ${name}; ${near.length === 0 ? "no tool has a similar name" : `similar tools: ${near.join(", ")}`}`;
}

/** Parses the arguments; the guard and the tool see the same parsed form. */
function parseInput(ready: ReadyCall): ReadyCall | FailedCall {
  const { call, tool, notes } = ready;
  const parsed = tool.input.safeParse(call.input);
  if (parsed.success) return { ...ready, call: { ...call, input: parsed.data } };
  const problems = z.prettifyError(parsed.error).slice(0, 2000);
  const because = [`wrong arguments for ${tool.name}: ${problems}`, ...knownKeys(tool, parsed.error)].join("\n");
  return { call, because, notes };
}

/** The keys that an object may have, for each object in which some are unknown. */
function knownKeys({ input }: Tool, { issues }: z.ZodError): readonly string[] {
  const places = issues.filter(({ code }) => code === "unrecognized_keys").map(({ path }) => path);
  if (places.length === 0) return [];
  const schema = z.toJSONSchema(input, { io: "input", unrepresentable: "any" });
  const lines = places.flatMap((path) => {
    const keys = Object.keys(field(path.reduce(inside, schema), "properties") ?? {});
    const where = path.length === 0 ? "" : ` at ${z.core.toDotPath(path)}`;
    return keys.length === 0 ? [] : [`the keys${where} are: ${keys.join(", ")}`];
  });
  return [...new Set(lines)].slice(0, MAX_NAMED);
}

const field = (schema: unknown, name: string) => (isRecord(schema) ? schema[name] : undefined);

/** The schema of a field or of an element. */
const inside = (schema: unknown, key: PropertyKey): unknown =>
  typeof key === "number" ? field(schema, "items") : field(field(schema, "properties"), String(key));

/** A hard limit in addition to the tools' own: nothing larger enters a history. */
const MAX_TEXT = 400_000;

function resultOf({ id: callId, name }: ModelCall, output: ToolOutput, notes: readonly string[] = []): ToolResult {
  const whole = [output.text, ...notes].join("\n\n").toWellFormed();
  const text =
    whole.length > MAX_TEXT ? `${whole.slice(0, MAX_TEXT).toWellFormed()}\n[cut after ${MAX_TEXT} characters]` : whole;
  const images = output.images === undefined || output.images.length === 0 ? {} : { images: [...output.images] };
  const ends = output.ends === undefined ? {} : { ends: output.ends };
  return { callId, name, text, failed: output.failed, ...images, ...ends };
}

/**
 * Runs one call to its end. Any failure, including an interruption, becomes a failed result that the model can read.
 */
async function runCall(ready: ReadyCall, parts: LoopParts, emit: (event: LoopEvent) => void): Promise<ToolEnd> {
  const { call, tool, notes } = ready;
  const { signal, processors } = parts;
  let isRunning = true;
  const progress = (text: string, recent?: string) => {
    if (isRunning) emit({ type: "tool-progress", callId: call.id, text, ...(recent === undefined ? {} : { recent }) });
  };
  const child = (agent: string, event: SessionEvent) => emit({ type: "child", agent, callId: call.id, event });
  let output: ToolOutput;
  try {
    signal.throwIfAborted();
    output = await settled(tool.run(call.input, { callId: call.id, signal, progress, emit: child }), parts);
  } catch (error) {
    output = failure(signal.aborted ? INTERRUPTED : reasonOf(error));
  }
  // A tool that did not stop when it was interrupted may still report.
  isRunning = false;
  for (const processor of processors) {
    try {
      output = (await processor.postTool?.(call, output)) ?? output;
    } catch (error) {
      output = failure(`${output.text}\n\n${processor.name} failed after the call: ${reasonOf(error)}`);
    }
  }
  return { type: "tool-end", result: resultOf(call, output, notes), ran: true, deeds: output.deeds ?? [] };
}

const INTERRUPTED = "interrupted while running; what it had already done remains";

const STUBBORN = "interrupted, but it did not stop: it may still be running";

const failure = (text: string): ToolOutput => ({ text, failed: true });

const reasonOf = (error: unknown) => messageOf(error) || "it failed without giving a reason";

/** The tool's output. After an interruption the tool has a short time to settle, then the run continues without it. */
async function settled(run: Promise<ToolOutput>, { signal, clock, settings }: LoopParts): Promise<ToolOutput> {
  const done = new AbortController();
  const late = whenAborted(signal, done.signal)
    .then(() => clock.pause(settings.stop_grace_ms, done.signal))
    .then(() => failure(STUBBORN));
  // It usually loses the race and would then reject unhandled.
  late.catch(() => undefined);
  try {
    return await Promise.race([run, late]);
  } finally {
    done.abort();
  }
}

/** The most calls in one answer that every wire accepts back in a history. */
const MAX_CALLS = 128;

interface Tidied {
  readonly message: AssistantMessage;
  /** Calls that were dropped because there were too many. */
  readonly dropped: number;
}

/**
 * An answer that is valid in a history: ids are unique in the whole session and fit every wire, there are not too many
 * calls, and the call at which an overlong answer was cut off is marked, because its arguments may be incomplete.
 */
export function tidyAnswer(message: AssistantMessage, usedIds: Set<string>): Tidied {
  const parts: AnswerPart[] = [];
  let calls = 0;
  let dropped = 0;
  const last = message.parts.findLast((part) => part.type === "call");
  for (const part of message.parts) {
    if (part.type !== "call") {
      parts.push({ ...part, text: part.text.toWellFormed() });
      continue;
    }
    if (++calls > MAX_CALLS) {
      dropped++;
      continue;
    }
    const cut = message.stop === "length" && part === last;
    const malformed = part.malformed ?? (cut ? JSON.stringify(part.input) : undefined);
    const fixed = { ...part, id: uniqueId(part.id, usedIds), name: fittingName(part.name) };
    parts.push(malformed === undefined ? fixed : { ...fixed, input: {}, malformed: malformed.toWellFormed() });
  }
  return { message: { ...message, parts }, dropped };
}

function uniqueId(id: string, usedIds: Set<string>): string {
  const base = /^[\w-]{1,56}$/.test(id) ? id : `call_${usedIds.size + 1}`;
  let unique = base;
  for (let copy = 2; usedIds.has(unique); copy++) unique = `${base}_${copy}`;
  usedIds.add(unique);
  return unique;
}

/** Wires reject a history that contains a name they would not accept for a tool. */
const fittingName = (name: string) =>
  /^[\w-]{1,64}$/.test(name) ? name : name.replaceAll(/[^\w-]/g, "_").slice(0, 64) || "unnamed";
