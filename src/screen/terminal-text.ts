import { decodedView } from "./decoded.ts";
import type { Signal } from "./finding.ts";
import type { Stretch } from "./normalise.ts";
import type { View } from "./view.ts";

interface Concealed {
  /** The text without control sequences. Each is replaced by the same number of NULs, so that offsets are unchanged. */
  readonly text: string;
  readonly signals: readonly Signal[];
  /** Text that would not remain on a terminal's screen. */
  readonly views: readonly View[];
}

/**
 * Text that a terminal hides from a person: concealed or printed in its background colour, put into titles, links or
 * the clipboard, overwritten or erased. Also handles sequences written as escapes (`\x1b[8m`).
 */
export function findConcealed(text: string): Concealed {
  if (!/[\r\b]/.test(text) && !INTRODUCER.test(text)) return { text, signals: [], views: [] };
  const concealed = collect();
  const style: Style = { hidden: false, foreground: "", background: "", from: 0, raw: false };
  const endRun = (at: number) => {
    if (isHidden(style)) concealed.add(text.slice(style.from, at), { start: style.from, end: at }, style.raw);
  };
  const plain = text.replaceAll(SEQUENCE, (sequence: string, ...rest: unknown[]) => {
    const at = typeof rest[0] === "number" ? rest[0] : 0;
    const [, parameters, final = ""] = CSI.exec(sequence) ?? [];
    if (parameters === undefined)
      concealed.add(payloadOf(sequence), { start: at, end: at + sequence.length }, sequence.includes("]52;"));
    else if (final === "m") {
      endRun(at);
      applyStyle(style, parameters.split(/[;:]/).map(Number));
      style.from = at + sequence.length;
      style.raw = sequence[0] === "\u001b" || sequence[0] === "\u009b";
    }
    return "\0".repeat(sequence.length);
  });
  endRun(text.length);
  for (const { start, end } of overwritten(plain)) concealed.add(plain.slice(start, end), { start, end }, false);
  return { text: plain, signals: concealed.signals, views: concealed.views };
}

const MAX_VIEWS = 32;
const MAX_LENGTH = 4000;

function collect(): {
  signals: Signal[];
  views: View[];
  add: (words: string, stretch: Stretch, telling: boolean) => void;
} {
  const signals: Signal[] = [];
  const views: View[] = [];
  const add = (words: string, stretch: Stretch, telling: boolean) => {
    if (views.length >= MAX_VIEWS || !/[\p{L}]{2}/u.test(words)) return;
    views.push(
      decodedView(
        words
          .slice(0, MAX_LENGTH)
          .replaceAll(SEQUENCE, "")
          .replaceAll(/[\r\b\0]+/g, "\n"),
        stretch,
        "smuggled",
      ),
    );
    if (telling && WORDS.test(words)) signals.push({ kind: "concealed-text", points: 4, ...stretch });
  };
  return { signals, views, add };
}

const WORDS = /\p{L}{2,}[^\p{L}]{1,3}\p{L}{2}/u;
/** ESC or the one-byte CSI, raw or as written in string literals. */
const ESCAPE = "(?:\\u001b|\\\\x1b|\\\\u001b|\\\\033|\\\\e|\\^\\[|\\u241b)";
const INTRODUCER = new RegExp(`${ESCAPE}[[\\]]|\\u009b`, "i");
const SEQUENCE = new RegExp(
  `(?:${ESCAPE}\\[|\\u009b)[0-9;:<=>?]{0,40}[ -/]?[@-~]|${ESCAPE}\\][^\\u0007\\u001b\\u009c\\n]{0,2000}(?:\\u0007|\\u009c|\\u001b\\\\|\\\\a|\\\\007|$)?|${ESCAPE}[()*+#%][0-9A-Za-z]|\\u001b[78=>cDEHMNOZ]`,
  "gi",
);
const CSI = /^(?:.{1,6}\[|\u009b)([0-9;:<=>?]{0,40})[ -/]?([@-~])$/s;
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

interface Style {
  hidden: boolean;
  foreground: string;
  background: string;
  from: number;
  /** True if the text contains the sequence itself rather than an escaped form. */
  raw: boolean;
}

const isHidden = (style: Style): boolean =>
  style.hidden || (style.foreground !== "" && style.foreground === style.background);

/** Applies `CSI … m`. Colours are compared as written: `30` on `40`, `38;5;0` on `48;5;0`, `38;2;…` on `48;2;…`. */
function applyStyle(style: Style, codes: readonly number[]): void {
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index] ?? 0;
    if (code === 38 || code === 48) {
      const length = codes[index + 1] === 2 ? 4 : 2;
      setColour(style, code, codes.slice(index + 1, index + 1 + length).join(" "));
      index += length;
    } else if (code === 0) Object.assign(style, { hidden: false, foreground: "", background: "" });
    else if (code === 8 || code === 28) style.hidden = code === 8;
    else setColour(style, code, code % 10 > 7 ? "" : `5 ${code % 10}`);
  }
}

/** 30 to 39 and 90 to 97 are foreground colours, 40 to 49 and 100 to 107 background colours. */
function setColour(style: Style, code: number, colour: string): void {
  const family = Math.floor(code / 10);
  if (family === 3 || family === 9) style.foreground = colour;
  else if (family === 4 || family === 10) style.background = colour;
}
