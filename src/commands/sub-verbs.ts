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

/** A flag that a subcommand does not read would be taken for granted, so it is refused. */
export function refuseUnread(place: string, flags: Readonly<Record<string, unknown>>, read: readonly string[]): void {
  const given = Object.keys(flags).filter((name) => flags[name] !== undefined && flags[name] !== false);
  const unread = given
    .map((name) => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`)
    .find((flag) => !read.includes(flag));
  if (unread === undefined) return;
  const fix = read.length === 0 ? "leave it out; it takes no flags" : `leave it out; it takes ${read.join(", ")}`;
  throw new UserError(`${place} does not take ${unread}`, { where: unread, fix });
}
