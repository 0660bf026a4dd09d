import type { Stop } from "./script.ts";

/** What the model says in one turn, before a wire formats it. */
export interface Answer {
  /** Letters, digits and underscores, new for each answer; a wire adds its own prefix. */
  readonly id: string;
  readonly model: string;
  readonly thinking: string;
  readonly text: string;
  readonly calls: readonly AnswerCall[];
  readonly stop: Stop;
  readonly usage: { readonly input: number; readonly output: number };
}

export interface AnswerCall {
  readonly id: string;
  readonly name: string;
  /** Text for a tool that takes free text, otherwise its arguments. */
  readonly input: string | Readonly<Record<string, unknown>>;
}

/** The arguments of a call as an object; free text becomes `{ input }`. */
export function argumentsOf(call: AnswerCall): Readonly<Record<string, unknown>> {
  return typeof call.input === "string" ? { input: call.input } : call.input;
}

/** Splits a text into at most forty pieces, without splitting a character. No pieces for an empty text. */
export function pieces(text: string): string[] {
  const characters = Array.from(text);
  const size = Math.max(SMALLEST_PIECE, Math.ceil(characters.length / MAX_PIECES));
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(""),
  );
}

const SMALLEST_PIECE = 24;
const MAX_PIECES = 40;
