import type { Dialect } from "../../contract/dialect.ts";
import { flatAnswer } from "./flat-answer.ts";
import { CAMEL, readFields, SNAKE } from "./fields.ts";
import { HOOK_EVENTS } from "./hook-event.ts";
import type { HookEventName } from "../../contract/hook-event.ts";

/** For agents that signalbox does not know: Claude Code's or Copilot's field names in, a flat answer out. */
export const plain: Dialect = {
  name: "plain",
  events: eventsByTheirOwnNames(),
  asks: false,
  // Whoever connects an unknown agent may only look at the exit code.
  denialExit: 2,
  read(event, payload) {
    const camel = [CAMEL.tool, CAMEL.session].some((name) => payload[name] !== undefined);
    const snake = [SNAKE.tool, SNAKE.session].some((name) => payload[name] !== undefined);
    if (camel && snake) throw new Error("it mixes the fields of two agents");
    return readFields(event, payload, camel ? CAMEL : SNAKE);
  },
  write: flatAnswer,
};

function eventsByTheirOwnNames(): Partial<Record<HookEventName, string>> {
  const names: Partial<Record<HookEventName, string>> = {};
  for (const event of HOOK_EVENTS) names[event] = event;
  return names;
}
