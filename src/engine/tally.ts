import type { Usage } from "../contract/message.ts";
import type { LoopEvent, SessionOutcome } from "./event.ts";
import { textOf } from "./run-turns.ts";

export interface Tally {
  count(event: LoopEvent): void;
  /** The last words of the model. */
  text(): string;
  outcome(reason: SessionOutcome["reason"], because: string): SessionOutcome;
}

/** Adds up what a session used. `words` are the last that the model said before. One request whose price is not known makes the whole cost unknown. */
export function sessionTally(words: string): Tally {
  let usage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  let cost: number | undefined = 0;
  let turns = 0;
  let text = words;
  return {
    count(event) {
      if (event.type === "turn-start") turns++;
      if (event.type === "message" && event.message.role === "assistant") text = textOf(event.message);
      if (event.type !== "usage") return;
      cost = cost === undefined || event.cost === undefined ? undefined : cost + event.cost;
      if (event.usage !== undefined) usage = sum(usage, event.usage);
    },
    text: () => text,
    outcome: (reason, because) => ({ reason, because, text, turns, usage, cost }),
  };
}

const sum = (one: Usage, other: Usage): Usage => ({
  input: one.input + other.input,
  output: one.output + other.output,
  cacheRead: one.cacheRead + other.cacheRead,
  cacheWrite: one.cacheWrite + other.cacheWrite,
});
