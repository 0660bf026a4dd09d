import { isKnownWord } from "./phrases.ts";
import { collectView, eachMatch, type View } from "./view.ts";

/** Alternative readings of a folded text, each only if something in the text suggests it. */
export function respellings(view: View): View[] {
  const { text } = view;
  const short = text.length <= MAX_LENGTH;
  return [
    ...(short && (text.match(LEET) ?? []).length > 1 ? [unleet(view)] : []),
    ...(short && SPACED.test(text) ? [closeUp(view)] : []),
    ...(ROTATED.test(text) ? [{ ...view, text: text.replaceAll(/[a-z]/g, rotate), origin: "rotated" as const }] : []),
    ...(BACKWARDS.test(text) ? [reverse(view)] : []),
    ...(short ? joinParts(view) : []),
  ];
}

const MAX_LENGTH = 1 << 16;
const LEET = /[a-z][013457@$!][a-z]|\b[01345@$!][a-z]{2}/g;
const SPACED = /(?:\b[a-z][ .*_-]){5}/;
const ROTATED = /\b(?:rot-?13|gur|naq|lbhe|vtaber|qvfertneq|vafgehpgvbaf)\b/;

const BACKWARDS =
  /snoitcurtsni|erongi|tpmorp metsys|drager|selur|\beht\b[^\n]{0,80}\bdna\b|terces|tegrof|\/\/:s?ptth|\blruc\b|\btegw\b/;

const DIGITS: Readonly<Record<string, string>> = { 0: "o", 3: "e", 4: "a", 5: "s", 7: "t", 8: "b", "@": "a", $: "s" };

/** Replaces digits and signs inside words with the letters they resemble; 1, ! and | can mean i or l. */
function unleet(view: View): View {
  const text = view.text.replaceAll(/[a-z0-9@$!|]{3,}/g, (word) => {
    if (!/[a-z]/.test(word)) return word;
    const read = (one: string) => word.replaceAll(/[0134578@$!|]/g, (sign) => DIGITS[sign] ?? one);
    const asL = read("l");
    return isKnownWord(asL) ? asL : read("i");
  });
  return { ...view, text, origin: "respelled" };
}

const rotate = (letter: string): string => String.fromCharCode(((letter.charCodeAt(0) - 97 + 13) % 26) + 97);

function reverse(view: View): View {
  const out = collectView(view.text.length);
  for (let at = view.text.length - 1; at >= 0; at--) out.add(view.text.charCodeAt(at), 0);
  return out.finish("reversed", view.offsets[view.text.length] ?? 0);
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

/**
 * Joins the labelled parts of a folded text in the order of their labels (`part1: …`, `B = …`, `2/3 …`, `"p3": "…"`), and
 * its quoted strings. Only if the text mentions joining or numbers its parts as n of m.
 */
export function joinParts(view: View): View[] {
  const { text } = view;
  if (text.length > MAX_LENGTH || !ANY.test(text)) return [];
  const hints = [...eachMatch(text, JOINING)].slice(0, MAX_HINTS).map((match) => match.index);
  if (hints.length === 0 && !NUMBERED.test(text)) return [];
  const close = (part: Part) => hints.length === 0 || hints.some((hint) => Math.abs(hint - part.start) < MAX_DISTANCE);
  return (hints.length > 0 ? [LABELLED, QUOTED] : [LABELLED]).flatMap((way) => {
    const parts = partsOf(text, way).filter(close);
    return parts.length > 1 && parts.length < MAX_PARTS ? [pick(view, parts, ""), pick(view, parts, " ")] : [];
  });
}

/** Quickly rules out most texts. */
const ANY =
  /1 ?(?:\/|of)|join|one |plus|sequence|numbered|combin|concat|assembl|glue|stitch|merge|splice|together|followed|append|a ?\+/;

const MAX_PARTS = 20;
const MAX_HINTS = 8;
const MAX_LINES = 400;

/** Maximum distance between the parts and the text that mentions joining. */
const MAX_DISTANCE = 400;

const JOINING =
  /\.join\(|\b(?:in sequence|plus|joined|one (?:order|command|sentence|instruction|task|string)|form one|numbered|join|combin|concat|assembl|glue|stitch|merge|splice|together|followed by|as one|append)|\ba ?\+ ?b\b/g;

const NUMBERED = /(?<![\w/])1 ?(?:\/|of) ?[2-9]\b/;

const LABELLED =
  /(?:^|[\n,;{([])[\s"'#/*>-]{0,8}(?:(?:part|piece|chunk|fragment|segment|section|line|half|word|row|step|key|cmd|p|s|x|v|str|var|const|let|set|and)[ _-]?){0,2}(\d{1,2}|[a-h]|one|two|three)(?: ?\/ ?\d{1,2}| of \d{1,2})?["']?\s{0,2}(?::|=|->|=>|,|\)|(?= [a-z.~/]))\s{0,2}(?:"([^"\n]{1,200})"|'([^'\n]{1,200})'|([^\n"'][^\n]{0,199}))/g;

const QUOTED = /()(?:"([^"\n]{1,120})"|'([^'\n]{1,120})')/g;

interface Part {
  readonly label: string;
  readonly start: number;
  readonly end: number;
}

function partsOf(text: string, way: RegExp): Part[] {
  const parts: Part[] = [];
  for (const match of eachMatch(text, way)) {
    const words = (match[2] || match[3] || match[4]) ?? "";
    const end = match.index + match[0].length - (match[2] || match[3] ? 1 : 0);
    parts.push({ label: (match[1] ?? "").padStart(2), start: end - words.length, end });
    if (parts.length >= MAX_LINES) break;
  }
  return parts.toSorted((a, b) => (a.label < b.label ? -1 : a.label > b.label ? 1 : a.start - b.start));
}

function pick(view: View, parts: readonly Part[], between: string): View {
  const out = collectView(view.text.length * 2);
  for (const { start, end } of parts) {
    for (let at = start; at < end; at++) out.add(view.text.charCodeAt(at), view.offsets[at] ?? 0);
    if (between !== "") out.add(0x20, view.offsets[end] ?? 0);
  }
  return out.finish("assembled", view.offsets[view.text.length] ?? 0);
}
