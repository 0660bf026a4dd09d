import { nearest } from "../lib/nearest.ts";
import { UserError } from "../lib/user-error.ts";

/**
 * The entry of `choices` named by the first word. A missing or unknown word is a usage error with the closest match.
 */
export function subVerb<T>(verb: string, word: string | undefined, choices: Readonly<Record<string, T>>): T {
  const names = Object.keys(choices);
  const chosen = word !== undefined && Object.hasOwn(choices, word) ? choices[word] : undefined;
  if (chosen !== undefined) return chosen;
  const close = nearest(word ?? "", names);
  const what = word === undefined ? "missing subcommand" : `unknown subcommand ${quoted(word)}`;
  throw new UserError(close === undefined ? what : `${what} (did you mean '${close}'?)`, {
    where: `signalbox ${verb}`,
    fix: `use one of: ${names.join(", ")}`,
  });
}

/** A long word is truncated, because it may be a misplaced prompt. */
export const quoted = (word: string) => `'${word.length > 40 ? `${word.slice(0, 40)}…` : word}'`;
