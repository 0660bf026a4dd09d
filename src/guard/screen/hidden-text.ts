import { JOINERS } from "./characters.ts";
import { decodedView, normalise } from "./normalise.ts";
import type { Signal, View, Stretch } from "./view.ts";

/** Text written with invisible characters: tags, variation selectors, zero-width bits, direction overrides. */
export function findSmuggled(text: string): { signals: readonly Signal[]; views: readonly View[] } {
  const signals: Signal[] = [];
  const views: View[] = [];
  if (!ANY.test(text)) return { signals, views };
  if ((text.match(JOINED_WORDS) ?? []).length > 1) {
    // Blanks in place of invisible characters, so that words don't run together.
    views.push({ ...normalise(text.replaceAll(ANY_JOINER, " ")).view, origin: "smuggled" });
  }

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

interface Concealed {
  /** The text without control sequences. Each is replaced by the same number of NULs, so that offsets are unchanged. */
  readonly text: string;
  readonly signals: readonly Signal[];
  /** Text that would not remain on a terminal's screen. */
  readonly views: readonly View[];
}

/**
 * Text that a terminal hides from a person: concealed or in the colour of its background, in titles, links and the
 * clipboard, overwritten. Also handles sequences written as escapes (`\x1b[8m`).
 */
export function findConcealed(text: string): Concealed {
  if (!/[\r\b]/.test(text) && !INTRODUCER.test(text)) return { text, signals: [], views: [] };
  const signals: Signal[] = [];
  const views: View[] = [];
  const add = (words: string, stretch: Stretch, telling: boolean) => {
    if (views.length >= MAX_VIEWS || !/[\p{L}]{2}/u.test(words)) return;
    const plain = words.slice(0, MAX_LENGTH).replaceAll(SEQUENCE, "");
    views.push(decodedView(plain.replaceAll(/[\r\b\0]+/g, "\n"), stretch, "smuggled"));
    if (telling && WORDS.test(words)) signals.push({ kind: "concealed-text", points: 4, ...stretch });
  };
  let concealed: { readonly from: number; readonly raw: boolean } | undefined;
  const endRun = (at: number) => {
    if (concealed) add(text.slice(concealed.from, at), { start: concealed.from, end: at }, concealed.raw);
    concealed = undefined;
  };
  const plain = text.replaceAll(SEQUENCE, (sequence: string, at: number) => {
    const [, parameters, final = ""] = CSI.exec(sequence) ?? [];
    const end = at + sequence.length;
    if (parameters === undefined) add(payloadOf(sequence), { start: at, end }, sequence.includes("]52;"));
    else if (final === "m") {
      endRun(at);
      if (CONCEALS.test(parameters)) concealed = { from: end, raw: /^[\u001b\u009b]/.test(sequence) };
    }
    return "\0".repeat(sequence.length);
  });
  endRun(text.length);
  for (const { start, end } of overwritten(plain)) add(plain.slice(start, end), { start, end }, false);
  return { text: plain, signals, views };
}

const MAX_LENGTH = 4000;
const WORDS = /\p{L}{2,}[^\p{L}]{1,3}\p{L}{2}/u;

/** ESC or the one-byte CSI, raw or as written in string literals. */
const ESCAPE = "(?:\\u001b|\\\\x1b|\\\\u001b|\\\\033|\\\\e|\\^\\[|\\u241b)";
const INTRODUCER = new RegExp(`${ESCAPE}[[\\]]|\\u009b`, "i");

const SEQUENCE = new RegExp(
  `(?:${ESCAPE}\\[|\\u009b)[0-9;:<=>?]{0,40}[ -/]?[@-~]|${ESCAPE}\\][^\\u0007\\u001b\\u009c\\n]{0,2000}(?:\\u0007|\\u009c|\\u001b\\\\|\\\\a|\\\\007|$)?|${ESCAPE}[()*+#%][0-9A-Za-z]|\\u001b[78=>cDEHMNOZ]`,
  "gi",
);

const CSI = /^(?:.{1,6}\[|\u009b)([0-9;:<=>?]{0,40})[ -/]?([@-~])$/s;

/** Concealed, or a colour on the same colour: `30;40`, `38;5;0;48;5;0`. */
const CONCEALS = /(?:^|;)(?:8(?:;|$)|3([0-7]);4\1(?:;|$)|38;5;(\d+);48;5;\2(?:;|$))/;

/** The part of a line before its last carriage return or run of backspaces, if something follows. */
function* overwritten(text: string): Generator<Stretch> {
  for (let start = 0, end = 0; start < text.length; start = end + 1) {
    end = text.indexOf("\n", start);
    if (end === -1) end = text.length;
    const line = text.slice(start, end).replace(/\r+$/, "");
    const last = Math.max(line.lastIndexOf("\r"), line.lastIndexOf("\b\b\b"));
    if (last > 3) yield { start, end: start + last };
  }
}

/** The words of a title, a link or the clipboard. A URL is split into words, because it is not meant as one here. */
function payloadOf(sequence: string): string {
  const body = sequence.slice(sequence.indexOf("]") + 1);
  const clipboard = /^52;[a-z0-7]{0,8};([A-Za-z0-9+/=]{4,})/.exec(body)?.[1];
  if (clipboard !== undefined) return Buffer.from(clipboard, "base64").toString();
  return body.startsWith("8;") ? body.replaceAll(/[-_+/?=&.;:]|%20/g, " ") : body.replace(/^[0-9]{1,4};/, "");
}
