import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import type { Dialect } from "./dialect.ts";
import { gemini } from "./gemini.ts";
import { plain } from "./plain.ts";

const ALL: readonly Dialect[] = [claude, codex, copilot, gemini, plain];

/** The dialect of an agent. Throws for a name that has none. */
export function findDialect(name: string): Dialect {
  const found = ALL.find((dialect) => dialect.name === name);
  if (found === undefined) throw new Error(`there is no dialect ${JSON.stringify(name)}`);
  return found;
}
