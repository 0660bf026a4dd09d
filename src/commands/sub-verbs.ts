import { EventEmitter } from "node:events";
import { type Command, Help } from "commander";
import { nearest } from "../lib/text/nearest.ts";
import { UserError } from "../lib/text/user-error.ts";
import type { SubVerbHelp, Verb } from "./command-module.ts";

/**
 * The entry of `choices` named by the first word. A missing or unknown word is a usage error with the closest match,
 * which may also be a part of the verb.
 */
export function subVerb<T>(
  verb: string,
  word: string | undefined,
  choices: Readonly<Record<string, T>>,
  verbs: readonly Verb[] = [],
): T {
  const names = [...Object.keys(choices), ...Object.keys(verbs.find(({ name }) => name === verb)?.parts ?? {})];
  const chosen = word !== undefined && Object.hasOwn(choices, word) ? choices[word] : undefined;
  if (chosen !== undefined) return chosen;
  if (word !== undefined && names.includes(word))
    throw new UserError(`'${word}' must come before the flags`, {
      where: `signalbox ${verb}`,
      fix: `signalbox ${verb} ${word} [flags]`,
    });
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

const NAME_COLUMN = 24;

/** Turns the help of a verb into that of one of its subcommands. */
export function narrowHelp(command: Command, name: string, help: SubVerbHelp): void {
  const { usage, summary, flags, examples, more } = help;
  command
    .usage(`${name} ${usage}`.trimEnd())
    .description(summary)
    .configureHelp({
      visibleArguments: () => [],
      visibleOptions: (shown) =>
        new Help().visibleOptions(shown).filter(({ long }) => long === "--help" || flags.includes(long ?? "")),
      optionDescription: (option) => withoutName(new Help().optionDescription(option), name),
    });
  // Examples and subcommands of the whole verb.
  EventEmitter.prototype.removeAllListeners.call(command, "afterHelp");
  command.addHelpText("after", `\n${more === undefined ? "" : `${more}\n\n`}${examplesText(examples)}`);
}

/** `with allow: write it` says no more than `write it` in the help of allow. */
function withoutName(description: string, name: string): string {
  const [prefix = "", words = ""] = /^(?:with |for )?([\w ]+): /.exec(description) ?? [];
  return words.split(" ").includes(name) ? description.slice(prefix.length) : description;
}

/** Refuses words that the usage of the subcommand does not name: `RUN | FILE [--json]` names one. */
export function refuseExtraWords(verb: string, words: readonly string[], { usage }: { readonly usage: string }): void {
  const [named = ""] = usage.split(/\[?-|\[flags\]/);
  const most = named.replaceAll(" | ", "|").split(" ").filter(Boolean).length;
  const extra = words[most + 1];
  if (extra === undefined) return;
  throw new UserError(`unexpected argument ${quoted(extra)}`, {
    where: `signalbox ${verb} ${words[0]}`,
    fix: `usage: signalbox ${verb} ${words[0]} ${usage}`.trimEnd(),
  });
}

/** The subcommands of a verb, one a line, and examples for its help. */
export function subVerbsText(verbs: Readonly<Record<string, SubVerbHelp>>, examples: readonly string[]): string {
  const lines = Object.entries(verbs).map(([name, { usage, summary }]) => {
    const start = `  ${name} ${usage.replace(/ ?\[-.*/, "")}`.trimEnd();
    return start.length < NAME_COLUMN
      ? `${start.padEnd(NAME_COLUMN)}${summary}`
      : `${start}\n${" ".repeat(NAME_COLUMN)}${summary}`;
  });
  return `\n${["Subcommands (each has its own --help):", ...lines].join("\n")}\n\n${examplesText(examples)}`;
}

/** Adds the parts that other verbs carry out to the help of a verb. */
export function addParts(command: Command, { name, parts = {} }: Verb): void {
  const lines = Object.entries(parts).map(([part, { summary }]) => `  ${name} ${part}`.padEnd(NAME_COLUMN) + summary);
  if (lines.length > 0) command.addHelpText("after", `\nAlso:\n${lines.join("\n")}`);
}

const examplesText = (examples: readonly string[]) =>
  [`Example${examples.length === 1 ? "" : "s"}:`, ...examples.map((example) => `  ${example}`)].join("\n");
