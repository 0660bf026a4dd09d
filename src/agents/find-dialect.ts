import type { AgentHooks } from "../contract/agent-hooks.ts";
import type { Dialect } from "../contract/dialect.ts";
import { plain } from "./dialect/plain.ts";
import { geminiHooks } from "./gemini/hooks.ts";
import { PACKS } from "./packs.ts";

/** Agents that signalbox cannot start, but whose hooks it answers. */
const WIRED: readonly AgentHooks[] = [geminiHooks, { dialect: plain }];

const ALL: readonly AgentHooks[] = [...PACKS.flatMap(({ hooks }) => hooks ?? []), ...WIRED];

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
