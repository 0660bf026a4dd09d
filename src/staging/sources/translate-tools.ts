import type { TextDialect, ToolAbility } from "../../agents/pack/surfaces.ts";
import { forbiddenBy, readToolWord, toolWords } from "./tool-words.ts";

/** The tools of an agent in another agent's names, or why it must not be given to that one. */
export type TranslatedTools =
  | { readonly tools?: readonly string[] | undefined; readonly disallowedTools?: readonly string[] | undefined }
  | { readonly refused: string };

interface Target {
  readonly dialect: TextDialect;
  /** The agent's name for people. */
  readonly title: string;
}

/**
 * Translates `tools` and `disallowedTools`. The result allows at most what the source does: an agent whose list would
 * become empty or wider is refused.
 */
export function translateTools(fields: Readonly<Record<string, unknown>>, target: Target): TranslatedTools {
  const given = toolWords(fields["tools"]);
  const forbidden = forbiddenWords(fields["disallowedTools"]);
  if (given !== undefined && "problem" in given) return { refused: given.problem };
  if ("problem" in forbidden) return { refused: forbidden.problem };
  if (given === undefined && forbidden.length === 0) return {};
  const { dialect, title } = target;
  if (!dialect.limitsTools) return unlimited(given, forbidden, target);
  const allowed = given === undefined ? undefined : allowedWords(given, dialect);
  if (allowed?.length === 0) return { refused: `${title} has none of its tools (${given?.join(", ") ?? ""})` };
  if (forbidden.length === 0) return { tools: allowed };
  if (dialect.forbidsTools) return { tools: allowed, disallowedTools: forbiddenNames(forbidden, dialect) };
  const denied = abilitiesOf(forbidden, dialect);
  const left = (allowed ?? Object.keys(dialect.tools)).filter(
    (word) => !forbidden.includes(word) && !forbiddenBy(word, dialect).some((ability) => denied.has(ability)),
  );
  return left.length === 0 ? { refused: `no tool of ${title} would be left` } : { tools: left };
}

/** `disallowedTools` may be an empty list, which forbids nothing. */
function forbiddenWords(value: unknown): readonly string[] | { readonly problem: string } {
  if (Array.isArray(value) && value.length === 0) return [];
  if (value === "*" || (Array.isArray(value) && value.includes("*"))) return { problem: "it forbids every tool" };
  return toolWords(value) ?? [];
}

/** With a shell the other tools add nothing; without one, such an agent would get more than it may. */
function unlimited(
  given: readonly string[] | undefined,
  forbidden: readonly string[],
  { dialect, title }: Target,
): TranslatedTools {
  const hasShell = given?.some((word) => readToolWord(word, dialect).abilities.includes("shell")) ?? true;
  if (hasShell && forbidden.length === 0) return {};
  const limit = hasShell ? `must not use ${forbidden.join(", ")}` : `may only use ${given?.join(", ") ?? ""}`;
  return { refused: `it ${limit}, and ${title} cannot limit an agent's tools` };
}

/** A list in the agent's own words stays as it is. Of any other, each tool that is able to do no more than was allowed. */
function allowedWords(given: readonly string[], dialect: TextDialect): readonly string[] {
  const words = given.map((word) => readToolWord(word, dialect));
  if (words.some(({ isOwn }) => isOwn) && !words.some(({ isForeign }) => isForeign)) return given;
  const abilities = new Set(words.flatMap((word) => word.abilities));
  const names = Object.entries(dialect.tools)
    .filter(([, needed]) => needed.every((ability) => abilities.has(ability)))
    .map(([name]) => name);
  const own = words.filter(({ isOwn }) => isOwn).map(({ word }) => word);
  const servers = words.flatMap(({ serverTool }) => serverTool ?? []);
  return [...new Set([...names, ...own, ...servers])];
}

/** Every tool that is able to do any of what is forbidden. */
function forbiddenNames(forbidden: readonly string[], dialect: TextDialect): readonly string[] {
  const words = forbidden.map((word) => readToolWord(word, dialect));
  const own = words.filter(({ isForeign }) => !isForeign).map(({ word }) => word);
  const foreign = abilitiesOf(
    words.filter(({ isForeign }) => isForeign).map(({ word }) => word),
    dialect,
  );
  const names = Object.entries(dialect.tools)
    .filter(([, abilities]) => abilities.some((ability) => foreign.has(ability)))
    .map(([name]) => name);
  return [...new Set([...own, ...names, ...words.flatMap(({ serverTool }) => serverTool ?? [])])];
}

function abilitiesOf(words: readonly string[], dialect: TextDialect): ReadonlySet<ToolAbility> {
  return new Set(words.flatMap((word) => forbiddenBy(word, dialect)));
}
