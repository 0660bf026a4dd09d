import { eachMatch } from "./each-match.ts";
import { collectView, type View } from "./view.ts";

/**
 * Labelled parts of a folded text put together in the order of their labels (`part1: …`, `B = …`, `2/3 …`, `"p3": "…"`,
 * rows of a table), and the first letters of its lines when it talks about them. Only when the text speaks of joining
 * or numbers its parts as n of m.
 */
export function joinParts(view: View): View[] {
  const { text } = view;
  if (text.length > LONGEST) return [];
  const views: View[] = [];
  if (ACROSTIC.test(text)) views.push(pick(view, firstLetters(text), ""));
  const parts = labelledParts(text);
  if (parts.length > 1 && (JOINING.test(text) || NUMBERED.test(text)))
    views.push(pick(view, parts, ""), pick(view, parts, " "));
  return views;
}

const LONGEST = 1 << 16;
const MOST = 60;
const ACROSTIC = /\b(?:acrostic|(?:first|initial|capital) (?:letter|character)s?|initials)\b/;
const JOINING =
  /\b(?:join|combin|concat|assembl|glue|stitch|merge|splice|together|followed by|as one|in order|append|put them)|\ba ?\+ ?b\b|\bx1 ?\+ ?x2|\bp1\.\./;
const NUMBERED = /(?<![\w/])1 ?(?:\/|of) ?[2-9]\b/;
const LABELLED =
  /(?:^|[\n,;{([])[\s"'#/*>-]{0,8}(?:(?:part|piece|chunk|fragment|segment|section|line|half|word|row|token|step|key|msg|text|p|s|x|v|str|var|const|let)[ _-]?)?(\d{1,2}|[a-h])(?: ?\/ ?\d{1,2}| of \d{1,2})?["']?\s{0,2}(?::|=|->|=>|,|\)|(?= [a-z]))\s{0,2}(?:"([^"\n]{1,200})"|'([^'\n]{1,200})'|([^\n"'][^\n]{0,199}))/g;

interface Part {
  readonly label: string;
  readonly start: number;
  readonly end: number;
}

function labelledParts(text: string): Part[] {
  const parts: Part[] = [];
  for (const match of eachMatch(text, LABELLED)) {
    const words = match[2] ?? match[3] ?? match[4] ?? "";
    const quote = match[4] === undefined ? 1 : 0;
    const end = match.index + match[0].length - quote;
    parts.push({ label: (match[1] ?? "").padStart(2), start: end - words.length, end });
    if (parts.length >= MOST) break;
  }
  return parts.toSorted((a, b) => (a.label < b.label ? -1 : a.label > b.label ? 1 : a.start - b.start));
}

function firstLetters(text: string): Part[] {
  const letters: Part[] = [];
  for (const line of eachMatch(text, LINE_START)) {
    const start = line.index + line[0].length - 1;
    letters.push({ label: "", start, end: start + 1 });
    if (letters.length >= 400) break;
  }
  return letters;
}

const LINE_START = /(?<![^\n])[^\S\n]{0,8}[a-z]|\n(?=\n)./g;

function pick(view: View, parts: readonly Part[], between: string): View {
  const out = collectView(view.text.length * 2);
  for (const { start, end } of parts) {
    for (let at = start; at < end; at++) out.add(view.text.charCodeAt(at), view.offsets[at] ?? 0);
    if (between !== "") out.add(0x20, view.offsets[end] ?? 0);
  }
  return out.finish("split", view.offsets[view.text.length] ?? 0);
}
