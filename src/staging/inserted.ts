/** Where a value goes in a JSON file. */
export interface Entry {
  readonly at: readonly string[];
  readonly key?: string | undefined;
  readonly value: unknown;
}

/** A text that was put in, and its offset in the text that came out. */
export interface Piece {
  readonly offset: number;
  readonly text: string;
}

/** A text after an insertion, and what to take out again. */
export interface Inserted {
  readonly text: string;
  readonly pieces: readonly Piece[];
  /** How many steps of the entry's path were there before. */
  readonly made: number;
}

/** Takes pieces out at exactly their offsets. Undefined when one is not there. */
export function takePieces(text: string, pieces: readonly Piece[]): string | undefined {
  let result = text;
  for (const piece of pieces.toReversed()) {
    if (!result.startsWith(piece.text, piece.offset)) return undefined;
    result = result.slice(0, piece.offset) + result.slice(piece.offset + piece.text.length);
  }
  return result;
}
