import type { Effect } from "../model/effect.ts";
import type { Word } from "../model/word.ts";
import { CHECKER_PROGRAMS } from "./checkers.ts";
import { COMPILER_PROGRAMS } from "./compilers.ts";
import { type KnownProgram, type ProgramTable, watched } from "./known-program.ts";
import { LANGUAGE_PROGRAMS } from "./languages.ts";
import { NETWORK_PROGRAMS } from "./network.ts";
import { PACKAGE_PROGRAMS } from "./packages.ts";
import { PROJECT_TOOLS } from "./project-tools.ts";

const READING = /^(?:agent|doctor|prompt-plan|guard explain|receipt show)(?: |$)/;

/** Signalbox itself. The words of `guard explain` are a command that is shown, not run. */
const OWN_PROGRAM: ProgramTable = { signalbox: { options: "", operands: "", whole: ownEffects } };

const TOOLS = new Map([
  ...Object.entries(watched(LANGUAGE_PROGRAMS, "runs")),
  ...Object.entries(watched(COMPILER_PROGRAMS, "runs")),
  ...Object.entries(watched(CHECKER_PROGRAMS, "runs")),
  ...Object.entries(watched(NETWORK_PROGRAMS, "talks")),
  ...Object.entries(watched(PACKAGE_PROGRAMS, "runs")),
  ...Object.entries(watched(PROJECT_TOOLS, "runs")),
  ...Object.entries(OWN_PROGRAM),
]);

/** Tools for languages, builds and networks. A separate part, which the hook loads when needed. */
export function toolProgram(name: string): KnownProgram | undefined {
  return TOOLS.get(name);
}

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
