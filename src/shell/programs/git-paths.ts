import { doubt, type Effect } from "../model/effect.ts";
import type { Arguments } from "./options.ts";
import { UNKNOWN, type Word } from "../model/word.ts";

/**
 * The path in a git operand: `.env`, `HEAD:.env`, `:0:.env`, `:(top).env`, `*env`. Undefined for an exclusion or a
 * revision.
 */
export function pathOf(operand: Word): { readonly word: Word; readonly fromTop: boolean } | undefined {
  const { signs, stage, rest } = prefixOf(operand.text);
  if (/\bexclude\b|[!^]/.test(signs)) return undefined;
  const colon = operand.text.startsWith(":") ? -1 : rest.indexOf(":");
  const path = rest.slice(colon + 1);
  if (path === "" || isRevision(path)) return undefined;
  const fromTop = colon !== -1 || stage || /\btop\b|\//.test(signs);
  return { word: asPattern({ ...operand, text: path }), fromTop };
}

/** The prefix of a pathspec: `:(top,icase)`, `:/`, `:!`, or an index stage such as `:0:`. */
function prefixOf(text: string): { readonly signs: string; readonly stage: boolean; readonly rest: string } {
  const [whole = "", magic = "", short = "", stage] = /^:(?:\(([^)]*)\)|([!^/]*)(?:([0-3]):)?)/.exec(text) ?? [];
  return { signs: magic + short, stage: stage !== undefined, rest: text.slice(whole.length) };
}

function isRevision(text: string): boolean {
  return /[~^]\d*$|\.\.|@\{/.test(text) && !/^\.\.?(?:\/|$)/.test(text) && !text.includes("/../");
}

/** Git expands wildcards itself, even in quotes. */
function asPattern(path: Word): Word {
  return /[*?[]/.test(path.text) ? { ...path, glob: true, dots: true } : path;
}

/** Operands and `-L` ranges that name files count as read. Unknown words must not become options. */
export function revisionEffects({ operands, options }: Arguments): readonly Effect[] {
  const ranges = options.flatMap(({ name, value }): readonly Word[] =>
    name === "-L" && value?.text.includes(":") === true
      ? [{ ...value, text: value.text.slice(value.text.lastIndexOf(":") + 1) }]
      : [],
  );
  return [...operands, ...ranges].flatMap((operand): readonly Effect[] => {
    if (operand.text.startsWith(UNKNOWN))
      return [doubt("operand-unknown", "a word that may be an option is only known at run time")];
    const found = pathOf(operand);
    if (found === undefined) return [];
    const read = { kind: "read", word: found.word } as const;
    // `HEAD:path` is relative to the repository root, wherever the command runs.
    return found.fromTop ? [read, { ...read, fromTop: true }] : [read];
  });
}
