import { doubt, type Effect } from "../model/effect.ts";
import type { Arguments } from "./options.ts";
import { UNKNOWN, type Word } from "../model/word.ts";

/** The path in an operand of git: `.env`, `HEAD:.env`, `:0:.env`, `:(top).env`, `*env`. Undefined for one that leaves paths out, or is a revision. */
export function pathOf(operand: Word): { readonly word: Word; readonly fromTop: boolean } | undefined {
  const { signs, stage, rest } = prefixOf(operand.text);
  if (/\bexclude\b|[!^]/.test(signs)) return undefined;
  const colon = operand.text.startsWith(":") ? -1 : rest.indexOf(":");
  const path = rest.slice(colon + 1);
  if (path === "" || isRevision(path)) return undefined;
  const fromTop = colon !== -1 || stage || /\btop\b|\//.test(signs);
  return { word: asPattern({ ...operand, text: path }), fromTop };
}

/** What stands before the path of a pathspec: `:(top,icase)`, `:/`, `:!`, or the stage of the index as in `:0:`. */
function prefixOf(text: string): { readonly signs: string; readonly stage: boolean; readonly rest: string } {
  const [whole = "", magic = "", short = "", stage] = /^:(?:\(([^)]*)\)|([!^/]*)(?:([0-3]):)?)/.exec(text) ?? [];
  return { signs: magic + short, stage: stage !== undefined, rest: text.slice(whole.length) };
}

function isRevision(text: string): boolean {
  return /[~^]\d*$|\.\.|@\{/.test(text) && !/^\.\.?(?:\/|$)/.test(text) && !text.includes("/../");
}

/** git expands wildcards itself, in quotes too. */
function asPattern(path: Word): Word {
  return /[*?[]/.test(path.text) ? { ...path, glob: true, dots: true } : path;
}

/** Operands and `-L` ranges that name files count as read. Options may not come from unknown words. */
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
    // `HEAD:path` starts at the top of the repository, wherever the command runs.
    return found.fromTop ? [read, { ...read, fromTop: true }] : [read];
  });
}
