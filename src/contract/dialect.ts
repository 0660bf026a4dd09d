import type { HookAnswer } from "./hook-answer.ts";
import type { HookEvent, HookEventName } from "./hook-event.ts";

export type Payload = Readonly<Record<string, unknown>>;

/** How one agent speaks about hooks. One shape per agent, never a merged one: another agent's denial lets the tool run. */
export interface Dialect {
  readonly name: string;
  /** The agent's own names of the events that it has. */
  readonly events: Readonly<Partial<Record<HookEventName, string>>>;
  /** True when a question of the hook reaches a person. */
  readonly asks: boolean;
  /** The exit code of an ordinary denial. */
  readonly denialExit: 0 | 2;
  /** Reads what the agent sends. Throws when it does not have this agent's shape. */
  readonly read: (event: HookEventName, payload: Payload) => HookEvent;
  /** The one object to print. */
  readonly write: (event: HookEventName, answer: HookAnswer) => Payload;
}
