import type { Message } from "../../contract/message.ts";

/** What a gate may look at. */
export interface GateStep {
  readonly history: readonly Message[];
  /** The last words of the model. */
  readonly text: string;
  /** How often this gate has blocked since the state last changed. */
  readonly blocked: number;
  readonly signal: AbortSignal;
}

/** Something that may refuse a stop. It names what the model should do; without a reason it does not block. */
export interface Gate {
  readonly name: string;
  /** The reason to go on, or undefined. */
  check(step: GateStep): Promise<string | undefined>;
}
