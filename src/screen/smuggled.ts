import type { Signal } from "./finding.ts";
import { decodedView } from "./decoded.ts";
import { JOINERS } from "./invisible.ts";
import { normalise, type Stretch } from "./normalise.ts";
import type { View } from "./view.ts";

interface Smuggled {
  readonly signals: readonly Signal[];
  readonly views: readonly View[];
}

/** Text written with invisible characters: tags, variation selectors, zero-width bits, direction overrides. */
export function findSmuggled(text: string): Smuggled {
  const signals: Signal[] = [];
  const views: View[] = [];
  if (!ANY.test(text)) return { signals, views };
  if ((text.match(JOINED_WORDS) ?? []).length > 1) views.push(withGaps(text));

  const report = (signal: Signal, decoded: string) => {
    signals.push(signal);
    if (decoded.length > 0 && views.length < MAX_VIEWS) views.push(decodedView(decoded, signal, "smuggled"));
  };
  for (const run of text.matchAll(TAGS)) {
    const before = text.slice(Math.max(0, run.index - 2), run.index);
    if (before === BLACK_FLAG && run[0].endsWith(CANCEL_TAG) && run[0].length <= MAX_FLAG) continue;
    const decoded = Array.from(run[0], (character) => String.fromCharCode((character.codePointAt(0) ?? 0) & 0x7f));
    report({ kind: "tag-characters", points: run[0].length > 6 ? 8 : 4, ...spanOf(run) }, decoded.join(""));
  }
  for (const run of text.matchAll(SELECTORS)) {
    report({ kind: "variation-selectors", points: 8, ...spanOf(run) }, bytesOfSelectors(run[0]));
  }
  for (const run of text.matchAll(ZERO_WIDTH)) {
    const decoded = textOfBits(run[0]);
    report({ kind: "zero-width-bits", points: decoded ? 8 : 5, ...spanOf(run) }, decoded);
  }
  for (const run of text.matchAll(INTERLEAVED)) signals.push({ kind: "zero-width-letters", points: 5, ...spanOf(run) });
  for (const run of text.matchAll(OVERRIDDEN)) {
    report(
      { kind: "direction-override", points: 4, ...spanOf(run) },
      Array.from(run[1] ?? "")
        .toReversed()
        .join(""),
    );
  }
  return { signals: signals.slice(0, MAX_VIEWS), views };
}

/**
 * Whether at least two words of a stretch contain an invisible character. A single long word may contain a soft hyphen.
 */
export function brokenUp(text: string, { start, end }: Stretch): boolean {
  return end - start < MAX_STRETCH && (text.slice(start, end).match(BROKEN_WORD) ?? []).length > 1;
}

const MAX_STRETCH = 400;
const MAX_VIEWS = 32;
const LETTERS = "a-zA-Z\\u00c0-\\u024f\\u0400-\\u052f";
const ANY = new RegExp(`[${JOINERS}\\u202d\\u202e\\ufe00-\\ufe0f\\udb40]`);
const ANY_JOINER = new RegExp(`[${JOINERS}]`, "g");
const JOINED_WORDS = new RegExp(`[\\p{L}\\p{N}.,][${JOINERS}]{1,4}(?=[\\p{L}\\p{N}~/.])`, "gu");
const BROKEN_WORD = new RegExp(`(?<![a-zA-Z])[a-zA-Z]{1,12}[${JOINERS}][a-zA-Z${JOINERS}]{1,24}`, "g");
const TAGS = /(?:\udb40[\udc00-\udc7f])+/g;
const SELECTORS = /(?:[\ufe00-\ufe0f]|\udb40[\udd00-\uddef]){3,4000}/g;
const ZERO_WIDTH = /[\u200b-\u200d\u2060-\u2064\ufeff]{8,8000}/g;
// Three letters in a row, each followed by an invisible character. No script needs that.
const INTERLEAVED = new RegExp(`(?:[${LETTERS} ][${JOINERS}]){3,4000}[${LETTERS}]`, "g");
const OVERRIDDEN = /[\u202d\u202e]([^\n\u202c\u2069]{4,400})/g;
const BLACK_FLAG = "\u{1f3f4}";
const CANCEL_TAG = "\u{e007f}";
const MAX_FLAG = 16;

/** A reading with blanks in place of invisible characters, so that words don't run together. */
function withGaps(text: string): View {
  return { ...normalise(text.replaceAll(ANY_JOINER, " ")).view, origin: "smuggled" };
}

function spanOf(run: RegExpExecArray): { start: number; end: number } {
  return { start: run.index, end: run.index + run[0].length };
}

function bytesOfSelectors(run: string): string {
  const bytes = Array.from(run, (character) => {
    const codePoint = character.codePointAt(0) ?? 0;
    return codePoint < 0xe0100 ? codePoint - 0xfe00 : codePoint - 0xe0100 + 16;
  });
  return new TextDecoder().decode(new Uint8Array(bytes));
}

/**
 * Decodes two kinds of zero-width characters as bits, eight or seven per letter, in either polarity; empty if that
 * fails.
 */
function textOfBits(run: string): string {
  const zero = run[0] ?? "";
  const bits = Array.from(run, (character) => (character === zero ? "0" : "1")).join("");
  const flipped = Array.from(bits, (bit) => (bit === "0" ? "1" : "0")).join("");
  for (const width of [8, 7]) {
    for (const candidate of [bits, flipped]) {
      const groups = candidate.match(width === 8 ? /[01]{8}/g : /[01]{7}/g) ?? [];
      const text = groups.map((group) => String.fromCharCode(Number.parseInt(group, 2))).join("");
      if (text.length > 1 && /^[\t\n\r -~]+$/.test(text)) return text;
    }
  }
  return "";
}
