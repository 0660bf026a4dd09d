import type { HookAnswer } from "../hook-answer.ts";
import type { HookEvent, HookEventName } from "../hook-event.ts";

export type Payload = Readonly<Record<string, unknown>>;

/** How one agent speaks about hooks. One shape per agent, never a merged one: another agent's denial lets the tool run. */
export interface Dialect {
  readonly name: DialectName;
  /** The agent's own names of the events that it has. */
  readonly events: Readonly<Partial<Record<HookEventName, string>>>;
  /** True when a question of the hook reaches a person. */
  readonly asks: boolean;
  /** The exit code of a denial that was reached in good order. */
  readonly denialExit: 0 | 2;
  /** Reads what the agent sends. Throws when it is not of this agent's shape. */
  readonly read: (event: HookEventName, payload: Payload) => HookEvent;
  /** The one object to print. */
  readonly write: (event: HookEventName, answer: HookAnswer) => Payload;
}

export const DIALECTS = ["claude", "codex", "copilot", "gemini", "plain"] as const;
export type DialectName = (typeof DIALECTS)[number];
