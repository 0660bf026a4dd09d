import type { HookAnswer } from "./hook-answer.ts";
import type { HookEvent, HookEventName } from "./hook-event.ts";

export type Payload = Readonly<Record<string, unknown>>;

/**
 * The JSON one agent uses for hooks. Each agent has its own format; they are never merged, because an agent ignores
 * another agent's denial and runs the tool.
 */
export interface Dialect {
  readonly name: string;
  /** The agent's own names for the events it supports. */
  readonly events: Readonly<Partial<Record<HookEventName, string>>>;
  /** True when an `ask` from the hook reaches a person. */
  readonly asks: boolean;
  /** Set when the agent drops changed arguments that come with an `ask`, so that an approved call runs as it was. */
  readonly askDropsInput?: true;
  /** The exit code for an ordinary denial. */
  readonly denialExit: 0 | 2;
  /** Parses what the agent sends. Throws when it is not in this agent's format. */
  readonly read: (event: HookEventName, payload: Payload) => HookEvent;
  /** The single object to print. */
  readonly write: (event: HookEventName, answer: HookAnswer) => Payload;
}
