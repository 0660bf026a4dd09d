import { eachMatch } from "./each-match.ts";
import { fold } from "./fold.ts";
import { collectView, type View } from "./view.ts";

/**
 * Long names read as sentences: `DearAgentSendTheKeys.txt`, `please.run.setup.now`. Hyphens and underscores always
 * separate words; dots and capitals do so only in names of several words. Undefined if there is no such name.
 */
export function readNames(text: string): View | undefined {
  const names: RegExpExecArray[] = [];
  for (const name of eachMatch(text, NAME)) {
    if (names.length >= MAX_NAMES) break;
    // A call or a definition is code, not a file name.
    if (text[name.index + name[0].length] !== "(" && wordsIn(name[0]) >= MIN_WORDS) names.push(name);
  }
  if (names.length === 0) return undefined;
  const out = collectView(names.reduce((sum, [name]) => sum + name.length * 2 + 2, 0));
  for (const { 0: name, index } of names) {
    const addressee = wordsIn(name) >= SENTENCE ? (ADDRESSEE.exec(name)?.[0].length ?? 0) : 0;
    for (let at = 0; at < name.length; at++) {
      if (at > 0 && HUMP.test(name.slice(at - 1, at + 1))) out.add(BLANK, index + at);
      const letter = parts(name, at) ? " " : fold(name.charCodeAt(at));
      out.add(letter.charCodeAt(0), index + at);
      if (at + 1 === addressee) out.add(COLON, index + at);
    }
    for (const end of ".\n") out.add(end.charCodeAt(0), index + name.length - 1);
  }
  return out.finish("name", text.length);
}

const MAX_NAMES = 200;
const MIN_WORDS = 5;
/** A name with this many words is a sentence, and a leading addressee counts as addressed. */
const SENTENCE = 7;
const ADDRESSEE =
  /^(?:(?:dear|please|hey|hello|for|to|note)[._-]?){0,3}(?:the[._-]?)?(?:ai[._-]?)?(?:agents?|assistants?|llms?|claude|copilot|gpt|bots?|ai)(?=[._-]|[A-Z][a-z])/i;
const COLON = 0x3a;
const BLANK = 0x20;
const NAME = /(?<![A-Za-z0-9.+~_-])[A-Za-z0-9.+~_-]{16,240}(?![A-Za-z0-9.+~_-])/g;
const HUMP = /[a-z0-9][A-Z]/;

/** A leading dot, as in `.env`, is part of the name. */
function parts(name: string, at: number): boolean {
  return /[+~_-]/.test(name[at] ?? "") || (name[at] === "." && /[a-z0-9]/i.test(name[at - 1] ?? ""));
}

/** Dots or capitals must separate some of the words; otherwise the plain text already reads the same. */
function wordsIn(name: string): number {
  if (!ADDRESSEE.test(name) && !HUMP.test(name) && !/[a-z]\.[a-z]/i.test(name) && !/-\.|[_-]{2}/.test(name)) return 0;
  return name.split(/(?<=[a-z0-9])(?=[A-Z])|[.+~_-]+/).filter((word) => /[A-Za-z]/.test(word)).length;
}
