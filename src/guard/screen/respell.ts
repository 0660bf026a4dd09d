import { fold } from "./characters.ts";
import { isConceptWord } from "./matcher.ts";
import { collectView, eachMatch, type View } from "./view.ts";

/** Alternative readings of a folded text, each only if something in the text suggests it. */
export function respellings(view: View): View[] {
  const views: View[] = [];
  const { text } = view;
  const part = text.length > MAX_LENGTH ? undefined : view;
  if (part && (text.match(LEET) ?? []).length > 1) {
    views.push(unleet(view));
  }
  if (part && SPACED.test(text)) views.push(closeUp(view));
  if (ROTATED.test(text)) views.push({ ...view, text: text.replaceAll(/[a-z]/g, rotate), origin: "rotated" });
  if (BACKWARDS.test(text)) views.push(reverse(view));
  if (part) {
    const joined = joinPieces(view);
    if (joined) views.push(joined);
    views.push(...joinParts(view));
    const shifted = unshift(view);
    if (shifted) views.push(shifted);
  }
  return views;
}

const MAX_LENGTH = 1 << 16;

const LEET = /[a-z][013457@$!][a-z]|\b[01345@$!][a-z]{2}/g;

const SPACED = /(?:\b[a-z][ .*_-]){5}/;

const ROTATED = /\b(?:rot-?13|gur|naq|lbhe|vtaber|qvfertneq|vafgehpgvbaf)\b/;

const BACKWARDS =
  /snoitcurtsni|erongi|tpmorp metsys|drager|selur|\beht\b[^\n]{0,80}\bdna\b|terces|tegrof|\/\/:s?ptth|\blruc\b|\btegw\b/;

const DIGITS: Readonly<Record<string, string>> = {
  "0": "o",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  $: "s",
  "8": "b",
};

/** Replaces digits and signs inside words with the letters they resemble; 1, ! and | can mean i or l. */
function unleet(view: View): View {
  const text = view.text.replaceAll(/[a-z0-9@$!|]{3,}/g, (word) => {
    if (!/[a-z]/.test(word)) return word;
    const read = (one: string) => word.replaceAll(/[0134578@$!|]/g, (sign) => DIGITS[sign] ?? one);
    const asL = read("l");
    return isConceptWord(asL) ? asL : read("i");
  });
  return { ...view, text, origin: "respelled" };
}

/** The text with shifted or mirrored letters restored, if it names such a cipher and common words result. */
function unshift(view: View): View | undefined {
  const { text } = view;
  if (!CIPHER.test(text)) return undefined;
  const mirrored = (letter: string) => String.fromCharCode(219 - letter.charCodeAt(0));
  const ciphers = [mirrored, ...Array.from({ length: 25 }, (_, index) => shiftBy(index + 1))];
  const hits = ciphers.map((cipher) =>
    COMMON.reduce((sum, word) => sum + (text.includes(word.replaceAll(/[a-z]/g, cipher)) ? 1 : 0), 0),
  );
  const best = Math.max(...hits);
  const cipher = ciphers[hits.indexOf(best)];
  if (best < 2 || cipher === undefined) return undefined;
  // Shifting back equals shifting forward by the rest of the alphabet.
  const index = hits.indexOf(best);
  const back = index === 0 ? mirrored : shiftBy(26 - index);
  return { ...view, text: text.replaceAll(/[a-z]/g, back), origin: "rotated" };
}

const CIPHER = /\b(?:atbash|caesar|cipher|rot-?\d{1,2}|shift(?:ed)?)\b/;

const COMMON = ["the ", "and ", "all ", "your ", "instructions", "ignore", "forget", "send ", "rules", "previous"];

const shiftBy =
  (places: number) =>
  (letter: string): string =>
    String.fromCharCode(((letter.charCodeAt(0) - 97 + places) % 26) + 97);

const rotate = shiftBy(13);

function reverse(view: View): View {
  const out = collectView(view.text.length);
  for (let at = view.text.length - 1; at >= 0; at--) out.add(view.text.charCodeAt(at), 0);
  const whole = out.finish("reversed", view.offsets[view.text.length] ?? 0);
  return whole;
}

/** "i g n o r e" becomes one word; a wider gap still separates words. */
function closeUp(view: View): View {
  const out = collectView(view.text.length);
  const { text } = view;
  const single = (at: number) =>
    /[a-z]/.test(text[at] ?? "") && !/[a-z0-9]/.test(text[at - 1] ?? " ") && !/[a-z0-9]/.test(text[at + 1] ?? " ");
  let separator = "";
  for (let at = 0; at < text.length; at++) {
    const gap = /[ .*_-]/.test(text[at] ?? "");
    if (gap && single(at - 1) && single(at + 1)) {
      // If dots separate the letters, a blank still separates words.
      if (separator === "" || !single(at - 1) || !single(at - 3)) separator = text[at] ?? "";
      if (text[at] === separator) continue;
    }
    out.add(text.charCodeAt(at), view.offsets[at] ?? 0);
  }
  return out.finish("respelled", view.offsets[text.length] ?? 0);
}

const PIECE = /"([^"\n]{1,120})"|'([^'\n]{1,120})'|`([^`\n]{1,120})`/g;

// Adjacent, concatenated, or assigned to consecutive short names. A comma alone makes a list.
const JOINED = /^\s{0,3}(?:[+&.]|[,;]?\s{0,3}(?:and |y |e |und |et )?[a-z]\w{0,3}\s{0,2}=)?\s{0,3}$/;

function follows(text: string, piece: RegExpExecArray, next: RegExpExecArray | undefined): boolean {
  if (next === undefined) return false;
  const end = piece.index + piece[0].length;
  return next.index - end < 16 && JOINED.test(text.slice(end, next.index));
}

/** Joins a few quoted pieces: a payload split up to avoid detection. */
function joinPieces(view: View): View | undefined {
  const pieces = [...eachMatch(view.text, PIECE)];
  if (
    pieces.length < 2 ||
    pieces.length > 40 ||
    !pieces.some((piece, index) => follows(view.text, piece, pieces[index + 1]))
  )
    return undefined;
  const out = collectView(view.text.length);
  for (const piece of pieces) {
    for (let at = piece.index + 1; at < piece.index + piece[0].length - 1; at++)
      out.add(view.text.charCodeAt(at), view.offsets[at] ?? 0);
  }
  return out.finish("split", view.offsets[view.text.length] ?? 0);
}

/**
 * Joins labelled parts of a folded text in the order of their labels (`part1: …`, `B = …`, `2/3 …`, `"p3": "…"`, table
 * rows), and words or letters picked from its lines if the text mentions that. Only if the text mentions joining or
 * numbers its parts as n of m.
 */
export function joinParts(view: View): View[] {
  const { text } = view;
  if (text.length > MAX_LENGTH || !ANY.test(text)) return [];
  const views: View[] = [];
  if (ACROSTIC.test(text)) views.push(pick(view, [...found(text, FIRST_LETTER)], ""));
  if (WORD_OF_LINE.test(text))
    views.push(pick(view, [...found(text, FIRST_WORD)], " "), pick(view, [...found(text, LAST_WORD)], " "));
  if (EVERY_SECOND.test(text)) {
    const lines = [...found(text, LINE)];
    for (const odd of [0, 1])
      views.push(
        pick(
          view,
          lines.filter((_, index) => index % 2 === odd),
          " ",
        ),
      );
  }
  const hints = [...found(text, JOINING)].slice(0, MAX_HINTS);
  if (hints.length === 0 && !NUMBERED.test(text)) return views;
  const ways = hints.length > 0 ? [LABELLED, NAMED, COUNTED, QUOTED] : [LABELLED];
  const close = (part: Part) =>
    hints.length === 0 || hints.some((hint) => Math.abs(hint.start - part.start) < MAX_DISTANCE);
  for (const parts of ways.map((way) => labelledParts(text, way).filter(close)))
    if (parts.length > 1 && parts.length < MAX_PARTS) views.push(pick(view, parts, ""), pick(view, parts, " "));
  return [...new Map(views.map((one) => [one.text, one])).values()];
}

/** Quickly rules out most texts. */
const ANY =
  /acrostic|initial|first|last |every |capital|1 ?(?:\/|of)|join|one |plus|sequence|numbered|combin|concat|assembl|glue|stitch|merge|splice|together|followed|order|append|put them|a ?\+|p1\./;

const MAX_PARTS = 20;

const MAX_HINTS = 8;

/** Maximum distance between the parts and the text that mentions joining. */
const MAX_DISTANCE = 400;

const ACROSTIC = /\b(?:acrostic|(?:first|initial|capital) (?:letter|character)s?|initials)\b/;

const JOINING =
  /\.join\(|\b(?:in sequence|plus|joined|one (?:order|command|sentence|instruction|task|string)|form one|numbered|join|combin|concat|assembl|glue|stitch|merge|splice|together|followed by|as one|in order|append|put them)|\ba ?\+ ?b\b|\bx1 ?\+ ?x2|\bp1\.\./g;

const NUMBERED = /(?<![\w/])1 ?(?:\/|of) ?[2-9]\b/;

const LABELLED =
  /(?:^|[\n,;{([])[\s"'#/*>-]{0,8}(?:cmd[ _-])?(?:(?:part|piece|chunk|fragment|segment|section|line|half|word|row|token|step|key|msg|text|p|s|x|v|str|var|const|let|remember|set|store|define|and)[ _-]?){0,2}(\d{1,2}|[a-h]|alpha|beta|gamma|delta|one|two|three)(?: ?\/ ?\d{1,2}| of \d{1,2})?["']?\s{0,2}(?::|=|->|=>|,|\)|(?= [a-z.~/]))\s{0,2}(?:"([^"\n]{1,200})"|'([^'\n]{1,200})'|([^\n"'][^\n]{0,199}))/g;

/**
 * `title: …` at the start of a line, `second: "…"`; `(3) …`; every quoted string. None of these has an order to sort
 * by.
 */
const NAMED =
  /(?:(?<![^\n])|[,;.] |" )()[a-z][a-z0-9 ]{0,13}(?: ?[:=]|->)\s{0,2}(?:"([^"\n]{1,200})"|'([^'\n]{1,200})'|([^\n"'][^\n]{0,199}))/g;

const COUNTED = /\(()\d{1,2}\) ?()()([^()\n]{1,80})/g;

const QUOTED = /()(?:"([^"\n]{1,120})"|'([^'\n]{1,120})')/g;

interface Part {
  readonly label: string;
  readonly start: number;
  readonly end: number;
}

function labelledParts(text: string, way: RegExp): Part[] {
  const parts: Part[] = [];
  for (const match of eachMatch(text, way)) {
    const words = (match[2] || match[3] || match[4]) ?? "";
    const quote = match[2] || match[3] ? 1 : 0;
    const end = match.index + match[0].length - quote;
    parts.push({ label: (match[1] ?? "").padStart(2), start: end - words.length, end });
    if (parts.length >= MAX_LINES) break;
  }
  return parts.toSorted((a, b) => (a.label < b.label ? -1 : a.label > b.label ? 1 : a.start - b.start));
}

/** Matches of a pattern as parts, without leading blanks. */
function* found(text: string, pattern: RegExp): Generator<Part> {
  let count = 0;
  for (const match of eachMatch(text, pattern)) {
    if (++count > MAX_LINES) return;
    const end = match.index + match[0].length;
    yield { label: "", start: end - match[0].trimStart().length, end };
  }
}

const MAX_LINES = 400;

const WORD_OF_LINE = /\b(?:first|last) words?\b/;

const EVERY_SECOND = /\bevery (?:second|other) (?:line|row)/;

const FIRST_LETTER = /(?<![^\n])[^\S\n]{0,8}[a-z]|\n(?=\n)/g;

const FIRST_WORD = /(?<![^\n])[^\S\n]{0,8}[\p{L}\p{N}'.~/-]{1,40}/gu;

const LAST_WORD = /[\p{L}\p{N}'.~/-]{1,40}(?=\n|$)/gu;

const LINE = /(?<![^\n])[^\n]{1,200}/g;

function pick(view: View, parts: readonly Part[], between: string): View {
  const out = collectView(view.text.length * 2);
  for (const { start, end } of parts) {
    for (let at = start; at < end; at++) out.add(view.text.charCodeAt(at), view.offsets[at] ?? 0);
    if (between !== "") out.add(0x20, view.offsets[end] ?? 0);
  }
  return out.finish("assembled", view.offsets[view.text.length] ?? 0);
}

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
