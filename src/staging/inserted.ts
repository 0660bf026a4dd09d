/** Where a value goes in a JSON file. */
export interface Entry {
  readonly at: readonly string[];
  readonly key?: string | undefined;
  readonly value: unknown;
}

/** An inserted text and its offset in the result. */
export interface Piece {
  readonly offset: number;
  readonly text: string;
}

/** A text after an insertion, and what to remove again. */
export interface Inserted {
  readonly text: string;
  readonly pieces: readonly Piece[];
  /** How many steps of the entry's path existed before. */
  readonly made: number;
}

/** Removes pieces at exactly their offsets. Undefined if one is missing. */
export function takePieces(text: string, pieces: readonly Piece[]): string | undefined {
  let result = text;
  for (const piece of pieces.toReversed()) {
    if (!result.startsWith(piece.text, piece.offset)) return undefined;
    result = result.slice(0, piece.offset) + result.slice(piece.offset + piece.text.length);
  }
  return result;
}
