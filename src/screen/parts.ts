import { eachMatch } from "./each-match.ts";
import { collectView, type View } from "./view.ts";

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
const MAX_LENGTH = 1 << 16;
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
