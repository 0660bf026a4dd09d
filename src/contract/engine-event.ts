import type { HistoryPiece } from "./history.ts";
import type { AssistantMessage, TokenUsage, ToolResult, UserMessage } from "./message.ts";

/** Why a run of the inner loop ended. The gates are only asked after `answered`. */
export type RunEndReason = "answered" | "rejected" | "aborted" | "limit" | "no-progress" | "refused" | "failed";

/**
 * What happens in the inner loop. Every `turn-start` has its `turn-end`, every `tool-start` its `tool-end` in the same
 * turn. Deltas before a `request-failed` belong to a discarded answer.
 */
export type LoopEvent =
  | { readonly type: "turn-start"; readonly turn: number }
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "thinking-delta"; readonly text: string }
  | RequestFailed
  | UsageEvent
  | MessageAdded
  | { readonly type: "prompt-refused"; readonly promptId: string; readonly because: string }
  | { readonly type: "history-replaced"; readonly pieces: readonly HistoryPiece[]; readonly because: string }
  | CompactionEvent
  | { readonly type: "tool-start"; readonly call: ModelCall }
  | ToolProgress
  | ToolEnd
  | { readonly type: "response"; readonly text: string }
  | { readonly type: "turn-end"; readonly turn: number }
  | ChildEvent
  | { readonly type: "loop-noticed"; readonly because: string }
  | { readonly type: "run-end"; readonly reason: RunEndReason; readonly because: string };

/** The tokens and the cost of one request. `agent` names the part that asked, where it was not the main loop. */
export interface UsageEvent {
  readonly type: "usage";
  readonly usage: TokenUsage | undefined;
  readonly cost: number | undefined;
  readonly agent?: string;
}

/** Why a history is being shortened: there is still room, there is none left, the provider refused it, a person asked. */
export type CompactionTrigger = "background" | "blocking" | "forced" | "asked";

/** A history is replaced by a summary of it and what must be kept. The agent may go on working between start and end. */
type CompactionEvent =
  | {
      readonly type: "compaction-start";
      readonly trigger: CompactionTrigger;
      readonly tokens: number;
      readonly limit: number;
    }
  | {
      readonly type: "compaction-end";
      readonly title: string;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      readonly dropped: number;
    }
  | { readonly type: "compaction-failed"; readonly because: string }
  | { readonly type: "compaction-stopped"; readonly because: string };

/** What a sub-agent does, with its id and the call that started it. A sub-agent's own sub-agents are nested in it. */
interface ChildEvent {
  readonly type: "child";
  readonly agent: string;
  readonly callId: string;
  readonly event: SessionEvent;
}

/**
 * A message was appended to the history. `promptId` identifies the queued prompt it came from. The message with the
 * results of calls has no event of its own: the `tool-end` of each call is enough.
 */
interface MessageAdded {
  readonly type: "message";
  readonly message: UserMessage | AssistantMessage;
  readonly promptId?: string;
}

interface RequestFailed {
  readonly type: "request-failed";
  readonly because: string;
  readonly status: number | undefined;
  readonly tries: number;
  /** Null: no retry. 0: the request may be changed to one that the provider takes; events that follow say how. */
  readonly retryInMs: number | null;
}

/** What a call shows while it runs, in one line, and the last lines it has printed, where it prints any. */
interface ToolProgress {
  readonly type: "tool-progress";
  readonly callId: string;
  readonly text: string;
  readonly recent?: string;
}

export interface ToolEnd {
  readonly type: "tool-end";
  readonly result: ToolResult;
  /** False when it was refused or never started. */
  readonly ran: boolean;
  readonly deeds: readonly ToolDeed[];
}

/** What happens in the outer loop. */
export type SessionEvent =
  | LoopEvent
  | { readonly type: "prompt-queued"; readonly promptId: string; readonly message: UserMessage }
  | { readonly type: "gate-blocked"; readonly gate: string; readonly reason: string }
  | { readonly type: "gate-gave-up"; readonly gate: string; readonly reason: string }
  | { readonly type: "gate-passed"; readonly gate: string }
  | { readonly type: "hook-failed"; readonly hook: string; readonly because: string }
  | { readonly type: "idle"; readonly outcome: SessionOutcome };

/** Why a session ended. */
export interface SessionEnd {
  readonly reason: RunEndReason | "gate-gave-up";
  readonly because: string;
  /** The gate that gave up. */
  readonly gate?: string;
}

/** How a session ended. */
export interface SessionOutcome extends SessionEnd {
  /** What a command should exit with, where that gate says so. */
  readonly exitCode?: number;
  /** The model's last text. */
  readonly text: string;
  readonly turns: number;
  readonly usage: TokenUsage;
  /** Undefined when the price of any request is unknown. */
  readonly cost: number | undefined;
}

/** A tool and the parsed JSON arguments for it. */
export interface NamedCall {
  readonly name: string;
  readonly input: unknown;
}

/** A call as the model made it. */
export interface ModelCall extends NamedCall {
  readonly id: string;
}

/** One thing a call actually did. Paths are absolute. */
export type ToolDeed =
  | { readonly kind: "read"; readonly path: string }
  | { readonly kind: "write"; readonly path: string; readonly before: string | null; readonly after: string }
  | { readonly kind: "command"; readonly command: string; readonly exitCode: number | null }
  | { readonly kind: "fetch"; readonly url: string };

/** Whose event it is: the ids of the sub-agents it came through, outermost first, none for the session's own agent. */
export function eventOrigin(event: SessionEvent): { readonly agents: readonly string[]; readonly event: SessionEvent } {
  const agents: string[] = [];
  let inner = event;
  for (; inner.type === "child"; inner = inner.event) agents.push(inner.agent);
  return { agents, event: inner };
}
