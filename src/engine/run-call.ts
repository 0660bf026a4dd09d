import type { ToolOutput } from "../contract/tool.ts";
import { type ReadyCall, resultOf } from "./call.ts";
import type { LoopEvent, ToolEnd } from "./event.ts";
import type { LoopParts } from "./parts.ts";
import { messageOf } from "../lib/message-of.ts";

/** Runs one call to its end. Whatever goes wrong, an interruption included, becomes a failed result that the model can read. */
export async function runCall(ready: ReadyCall, parts: LoopParts, emit: (event: LoopEvent) => void): Promise<ToolEnd> {
  const { call, tool, notes } = ready;
  const { signal, processors } = parts;
  const progress = (text: string) => emit({ type: "tool-progress", callId: call.id, text });
  let output: ToolOutput;
  try {
    signal.throwIfAborted();
    output = await settled(tool.run(call.input, { callId: call.id, signal, progress }), parts);
  } catch (error) {
    output = failure(signal.aborted ? INTERRUPTED : reasonOf(error));
  }
  for (const processor of processors) {
    try {
      output = (await processor.postTool?.(call, output)) ?? output;
    } catch (error) {
      output = failure(`${output.text}\n\n${processor.name} failed after the call: ${reasonOf(error)}`);
    }
  }
  return { type: "tool-end", result: resultOf(call, output, notes), ran: true, deeds: output.deeds ?? [] };
}

const INTERRUPTED = "interrupted while it ran; what it had done by then stays done";
const STUBBORN = "interrupted, and it did not stop: it may still be at work";

const failure = (text: string): ToolOutput => ({ text, failed: true });
const reasonOf = (error: unknown) => messageOf(error) || "it failed without a reason";

/** The tool's output; after an interruption the tool has a short while to settle, then the run goes on without it. */
async function settled(run: Promise<ToolOutput>, { signal, clock, settings }: LoopParts): Promise<ToolOutput> {
  const done = new AbortController();
  const late = whenAborted(signal, done.signal)
    .then(() => clock.pause(settings.stop_grace_ms, done.signal))
    .then(() => failure(STUBBORN));
  // It loses the race in all but one case, and then rejects unseen.
  late.catch(() => undefined);
  try {
    return await Promise.race([run, late]);
  } finally {
    done.abort();
  }
}

function whenAborted(signal: AbortSignal, done: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true, signal: done });
  });
}
