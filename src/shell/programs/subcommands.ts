import { question, type Effect } from "../model/effect.ts";
import type { Arguments } from "./options.ts";
import { UNKNOWN, type Word } from "../model/word.ts";
import type { KnownProgram, ProgramTable } from "./known-program.ts";
import { OWN_FOLDER } from "./unlisted-options.ts";

/**
 * A program by its sub-commands, `a|b` for those that are alike. Any other sub-command is asked about, because nobody
 * knows what it runs; a rule of the user's own for it settles that.
 */
export function subcommands(name: string, table: Readonly<Record<string, KnownProgram>>, options = ""): ProgramTable {
  const known = Object.entries(table).flatMap(([names, program]) =>
    names.split("|").map((sub): [string, KnownProgram] => [`${name} ${sub}`, program]),
  );
  return {
    ...Object.fromEntries(known),
    [name]: {
      options: `--version --help -h -V -v ${options}`,
      operands: ":",
      open: "asks",
      more: ({ operands: [sub] }) =>
        sub === undefined
          ? []
          : [question("subcommand", `${sub.text.replaceAll(UNKNOWN, "…")} is not a known sub-command of ${name}`)],
    },
  };
}

/** Works with the code and settings of the folder; operands are files of it or filters, which it may change. */
export function works(options: string, more: Partial<KnownProgram> = {}): KnownProgram {
  return {
    options: `-h --help ${options}`,
    operands: ":",
    open: "asks",
    more: (given) => [
      OWN_FOLDER,
      ...given.operands.map((operand): Effect => ({ kind: "guess", word: operand, writes: true })),
    ],
    ...more,
  };
}

/** The same for a tool that only reads what it is given. */
export function reads(options: string, more: Partial<KnownProgram> = {}): KnownProgram {
  const look = (given: Arguments): readonly Effect[] => [
    OWN_FOLDER,
    ...given.operands.map((operand): Effect => ({ kind: "guess", word: operand })),
  ];
  return works(options, { more: look, ...more });
}

/** Runs the command behind its options, which is judged as if it stood alone. */
export function starts(options: string): KnownProgram {
  return {
    options,
    operands: ":",
    style: "first",
    open: "asks",
    more: (given) => commandBehind(given.operands, given),
  };
}

/** The command in `words`; an option that is not known may take a value, and then it begins one word later. */
function commandBehind(words: readonly Word[], given: Arguments): readonly Effect[] {
  const unsure = words.length > 1 && given.strange.some(({ text }) => !text.includes("="));
  return (unsure ? [words, words.slice(1)] : [words])
    .filter((inner) => inner.length > 0)
    .map((inner): Effect => ({ kind: "run", words: inner, sure: true }));
}

/** Always asked about, whatever follows. */
export function asked(because: string): KnownProgram {
  return { options: "", operands: "~", open: true, more: () => [question("subcommand", because)] };
}
