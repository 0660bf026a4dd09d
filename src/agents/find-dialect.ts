import type { AgentHooks } from "../contract/agent-hooks.ts";
import type { Dialect } from "../contract/dialect.ts";
import { plain } from "./dialect/plain.ts";
import { PACKS } from "./packs.ts";

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
