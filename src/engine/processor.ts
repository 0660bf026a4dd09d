import type { Message } from "../contract/message.ts";
import type { Permit, ModelCall, ToolOutput } from "../contract/tool.ts";
import type { ModelError } from "../models/model-error.ts";
import type { ModelEvent } from "../models/model.ts";
import type { LoopEvent } from "./event.ts";

/**
 * A decision on one call of a batch. `deny` fails the call, `reject` ends the run, `note` is passed to the model with
 * the result.
 */
export type CallRuling =
  | { readonly kind: "deny"; readonly callId: string; readonly because: string }
  | { readonly kind: "reject"; readonly callId: string; readonly because: string }
  | { readonly kind: "change"; readonly callId: string; readonly input: unknown }
  | { readonly kind: "note"; readonly callId: string; readonly text: string };

interface RequestStep {
  readonly turn: number;
  readonly history: readonly Message[];
  readonly signal: AbortSignal;
}

/**
 * A participant in the inner loop. Processors are asked in order, and each sees the changes of those before it.
 * A `preTools` that throws denies the whole batch.
 */
export interface Processor {
  readonly name: string;
  /**
   * Before a request. If it changes the history, it yields the events that describe the change and returns the new
   * history.
   */
  preRequest?(step: RequestStep): AsyncGenerator<LoopEvent, readonly Message[] | undefined>;
  /** Right before calls run: one call, or several read-only ones that run in parallel. */
  preTools?(calls: readonly ModelCall[], signal: AbortSignal): Promise<readonly CallRuling[]>;
  /** After a call ran. Returns the output to use instead. */
  postTool?(call: ModelCall, output: ToolOutput): Promise<ToolOutput | undefined>;
  /** After a request that was too large. Returns a smaller history; the request is then tried once more. */
  onRequestError?(error: ModelError, step: RequestStep): Promise<readonly Message[] | undefined>;
  onChunk?(event: ModelEvent): void;
}

/** The guard as a processor. It is the last one, so that it judges the calls as changed by hooks. */
export function guardProcessor(permit: Permit): Processor {
  return {
    name: "the guard",
    async preTools(calls, signal) {
      const rulings: CallRuling[] = [];
      // One after the other, because a person can only answer one question at a time.
      for (const call of calls) {
        const permission = await permit(call, signal);
        if (permission.verdict === "allow") continue;
        rulings.push({ kind: permission.verdict, callId: call.id, because: permission.because });
        if (permission.verdict === "reject") break;
      }
      return rulings;
    },
  };
}
