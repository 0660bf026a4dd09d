import type { Effect } from "../model/effect.ts";
import type { Word } from "../model/word.ts";
import type { ProgramTable } from "./known-program.ts";

/** Signalbox itself. The words of `guard explain` are a command that is shown, not run. */
export const OWN_PROGRAM: ProgramTable = { signalbox: { options: "", operands: "", whole: ownEffects } };

const READING = /^(?:agent|doctor|prompt-plan|guard explain|receipt show)(?: |$)/;

function ownEffects(words: readonly Word[]): readonly Effect[] {
  const texts = words.map(({ text }) => text);
  const end = texts.indexOf("--");
  const isExplained = texts[0] === "guard" && texts[1] === "explain";
  const own = isExplained && end !== -1 ? words.slice(2, end) : words.slice(1);
  const writes = !READING.test(texts.slice(0, 2).join(" "));
  return own.flatMap((word) => pathsOf(word, writes));
}

/** What may name a file: an operand, or an option's value. */
function pathsOf(word: Word, writes: boolean): readonly Effect[] {
  if (!word.text.startsWith("-")) return [{ kind: "guess", word, writes }];
  const at = word.text.indexOf("=");
  return at === -1 ? [] : [{ kind: "guess", word: { ...word, text: word.text.slice(at + 1) }, writes }];
}
