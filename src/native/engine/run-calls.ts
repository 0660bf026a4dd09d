import type { CallPart } from "../../contract/message.ts";
import type { Tool } from "../../contract/tool.ts";
import { merge } from "../../lib/process/tasks.ts";
import {
  type FailedCall,
  isReady,
  MAX_CALLS,
  parseInput,
  readCall,
  type ReadyCall,
  resultOf,
  runCall,
} from "./call.ts";
import type { LoopEvent } from "../../contract/engine-event.ts";
import type { CallRuling, LoopParts, Processor } from "./processor.ts";
import { messageOf } from "../../lib/text/user-error.ts";

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
