import { question, type Effect } from "../model/effect.ts";
import type { Arguments } from "./options.ts";
import { UNKNOWN, type Word } from "../model/word.ts";
import type { KnownProgram, ProgramTable } from "./known-program.ts";
import { OWN_FOLDER } from "./unlisted-options.ts";

/**
 * A program with its subcommands; `a|b` for those that are alike. Any other subcommand needs approval, because it is
 * unknown what it runs. A user's own rule for it resolves that.
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
          : [question("subcommand", `${sub.text.replaceAll(UNKNOWN, "…")} is not a known subcommand of ${name}`)],
    },
  };
}

/** Uses the code and settings of the folder; operands are its files or filters, and it may change the files. */
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

/** Like `works`, for a tool that only reads its operands. */
export function reads(options: string, more: Partial<KnownProgram> = {}): KnownProgram {
  const look = (given: Arguments): readonly Effect[] => [
    OWN_FOLDER,
    ...given.operands.map((operand): Effect => ({ kind: "guess", word: operand })),
  ];
  return works(options, { more: look, ...more });
}

/** Runs the command after its options, which is judged separately. */
export function starts(options: string): KnownProgram {
  return {
    options,
    operands: ":",
    style: "first",
    open: "asks",
    more: (given) => commandBehind(given.operands, given),
  };
}

/** The command in `words`. An unknown option may take a value; then the command starts one word later. */
function commandBehind(words: readonly Word[], given: Arguments): readonly Effect[] {
  const unsure = words.length > 1 && given.strange.some(({ text }) => !text.includes("="));
  return (unsure ? [words, words.slice(1)] : [words])
    .filter((inner) => inner.length > 0)
    .map((inner): Effect => ({ kind: "run", words: inner, sure: true }));
}

/** Always needs approval, whatever follows. */
export function needsApproval(because: string): KnownProgram {
  return { options: "", operands: "~", open: true, more: () => [question("subcommand", because)] };
}
