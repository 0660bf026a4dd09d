import { eachMatch } from "./each-match.ts";
import { isConceptWord } from "./matcher.ts";
import { joinParts } from "./parts.ts";
import { collectView, type View } from "./view.ts";

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
