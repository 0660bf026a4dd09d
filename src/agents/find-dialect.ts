import type { AgentHooks } from "../contract/agent-install.ts";
import type { Dialect, HookEventName } from "../contract/hook-event.ts";
import { HOOK_EVENTS } from "./pack/hook-event.ts";
import { CAMEL, flatAnswer, readFields, SNAKE } from "./pack/hook-fields.ts";
import { PACKS } from "./packs.ts";

/** For agents that signalbox does not know: Claude Code's or Copilot's field names in, a flat answer out. */
const plain: Dialect = {
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

/** The dialects of all agents that can be started, and the one for agents that signalbox does not know. */
const ALL: readonly AgentHooks[] = [...PACKS.flatMap(({ hooks }) => hooks ?? []), { dialect: plain }];

/** The names of all dialects. */
export const DIALECTS: readonly string[] = ALL.map(({ dialect }) => dialect.name).toSorted();

/** What is needed to answer this agent's hooks; undefined for a name without hooks. */
export const findHooksOf = (name: string): AgentHooks | undefined => ALL.find(({ dialect }) => dialect.name === name);

/** The dialect of an agent. Throws for a name that has none. */
export function findDialect(name: string): Dialect {
  const found = findHooksOf(name);
  if (found === undefined) throw new Error(`there is no dialect ${JSON.stringify(name)}`);
  return found.dialect;
}

function eventsByTheirOwnNames(): Partial<Record<HookEventName, string>> {
  const names: Partial<Record<HookEventName, string>> = {};
  for (const event of HOOK_EVENTS) names[event] = event;
  return names;
}
