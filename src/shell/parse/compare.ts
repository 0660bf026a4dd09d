import { flatten, type WordPiece, type RawWord, type ShellCommand, type ShellNode } from "../model/script.ts";

/** Marks inside the keys used to compare the two readers. They cannot occur in a command that is judged. */
export const GLOB_MARK = "\u0001";
export const VARIABLE_MARK = "\u0002";
export const SCRIPT_MARK = "\u0003";
export const NUMBER_MARK = "\u0004";
export const BRACES_MARK = "\u0007";
export const WORD_MARK = "\u001f";
export const COMMAND_MARK = "\u001e";

/** True if both readers found the same commands with the same words and redirections. */
export function agrees(proof: readonly string[], danger: readonly ShellNode[]): boolean {
  const seen = flatten(danger).map(commandKey).toSorted();
  const proven = proof.toSorted();
  return seen.length === proven.length && seen.every((key, index) => key === proven[index]);
}

function commandKey(command: ShellCommand): string {
  const assignments = command.assignments.map(({ name, value }) => `${name}=${wordKey(value)}`);
  const redirects = command.redirects.map(({ operator, target }) => operator + wordKey(target));
  return [...assignments, ...command.words.map(wordKey), ...redirects].join(WORD_MARK) + COMMAND_MARK;
}

function wordKey(word: RawWord): string {
  return word.pieces.map(pieceKey).join("");
}

function pieceKey(piece: WordPiece): string {
  switch (piece.kind) {
    case "text":
      return piece.text;
    case "glob":
      return piece.text.startsWith("[") ? GLOB_MARK + piece.text : piece.text.replace(/./g, `${GLOB_MARK}$&`);
    case "variable":
      return VARIABLE_MARK + piece.name + VARIABLE_MARK;
    case "default":
      return VARIABLE_MARK + piece.name + piece.operator + piece.text + VARIABLE_MARK;
    case "script":
      return SCRIPT_MARK;
    case "number":
      return NUMBER_MARK;
    case "braces":
      return BRACES_MARK + piece.text;
    case "unknown":
      return "\u0006unknown";
  }
}
