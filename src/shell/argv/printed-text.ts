import { MAX_VALUE, isKnown, type Word } from "../model/word.ts";

/** What `echo` or `printf` prints. */
export interface Printed {
  /** Byte for byte, whichever shell or program prints it; undefined if that is uncertain. */
  readonly text: string | undefined;
  /** What it probably prints: good enough to deny, never to allow. */
  readonly likely: string;
}

/** What `echo` or `printf` prints; undefined if a word is only known at run time. */
export function printedText(name: "echo" | "printf", words: readonly Word[]): Printed | undefined {
  if (!words.every(isKnown)) return undefined;
  const texts = words.map(({ text }) => text);
  const likely = likelyText(name, texts).slice(0, MAX_VALUE);
  const text = name === "echo" ? echoed(texts) : formatted(texts);
  return { text: text !== undefined && text.length <= MAX_VALUE ? text : undefined, likely };
}

/** Shells agree on no option of echo except a single `-n`, and differ in what a backslash means. */
function echoed(texts: readonly string[]): string | undefined {
  const silent = texts[0] === "-n";
  const words = silent ? texts.slice(1) : texts;
  if (words[0]?.startsWith("-") === true || texts.some((text) => text.includes("\\"))) return undefined;
  return words.join(" ") + (silent ? "" : "\n");
}

/** printf reuses its format until all words are consumed. */
function formatted(texts: readonly string[]): string | undefined {
  const [format, ...values] = texts[0] === "--" ? texts.slice(1) : texts;
  if (format === undefined || (format.startsWith("-") && texts[0] !== "--")) return undefined;
  const parts = formatParts(format);
  if (parts === undefined) return undefined;
  const takes = parts.filter((part) => typeof part !== "string").length;
  let text = "";
  let at = 0;
  do {
    for (const part of parts) {
      const piece = typeof part === "string" ? part : converted(part, values[at++]);
      if (piece === undefined || text.length > MAX_VALUE) return undefined;
      text += piece;
    }
  } while (takes > 0 && at < values.length);
  return text;
}

interface Conversion {
  readonly left: boolean;
  readonly zero: boolean;
  readonly width: number;
  readonly precision: number | undefined;
  readonly letter: string;
}

const PART = /%%|%(-?)(0?)(\d{0,3})(?:\.(\d{1,3}))?([sbdic])|\\([nt\\]|[0-7]{3}(?![0-7]))|[^%\\]+/y;

/** Parses a format into texts and conversions; undefined if any part is not known to be portable. */
function formatParts(format: string): readonly (string | Conversion)[] | undefined {
  const parts: (string | Conversion)[] = [];
  PART.lastIndex = 0;
  while (PART.lastIndex < format.length) {
    const found = PART.exec(format);
    if (found === null) return undefined;
    const [all, left, zero, width, precision, letter, escape] = found;
    if (letter !== undefined)
      parts.push({
        left: left === "-",
        zero: zero === "0",
        width: Number(width),
        precision: precision === undefined ? undefined : Number(precision),
        letter,
      });
    else {
      const text = escape === undefined ? (all === "%%" ? "%" : all) : escaped(escape);
      if (text === undefined) return undefined;
      parts.push(text);
    }
  }
  return parts;
}

function escaped(escape: string): string | undefined {
  if (escape === "n") return "\n";
  if (escape === "t") return "\t";
  if (escape === "\\") return "\\";
  const code = Number.parseInt(escape, 8);
  return code >= 32 && code < 127 ? String.fromCharCode(code) : undefined;
}

function converted(conversion: Conversion, value: string | undefined): string | undefined {
  const { left, zero, width, letter } = conversion;
  const text =
    letter === "d" || letter === "i" ? numeral(conversion, value ?? "0") : characters(conversion, value ?? "");
  return left ? text?.padEnd(width) : text?.padStart(width, zero ? "0" : " ");
}

function numeral({ left, zero, precision }: Conversion, value: string): string | undefined {
  const plain = precision === undefined && !(left && zero) && /^(?:0|[1-9]\d{0,8})$/.test(value);
  return plain ? value : undefined;
}

/** A width or precision counts characters in some shells and bytes in others. */
function characters({ zero, width, precision, letter }: Conversion, value: string): string | undefined {
  const sized = width > 0 || precision !== undefined || letter === "c";
  if (zero || (sized && !/^[ -~\t\n]*$/.test(value))) return undefined;
  if (letter === "c") return value === "" || precision !== undefined ? undefined : value.slice(0, 1);
  if (letter === "b" && (sized || value.includes("\\"))) return undefined;
  return value.slice(0, precision);
}

function likelyText(name: "echo" | "printf", texts: readonly string[]): string {
  const words = texts.filter((text, index) => !(index === 0 && /^-[neE]+$|^--$/.test(text)));
  if (name === "echo") return unescape(words.join(" "));
  const [format = "", ...values] = words;
  let next = 0;
  const fill = () => unescape(format.replace(/%[-0\d.]*[sbdqci]/g, () => unescape(values[next++] ?? "")));
  let text = fill();
  for (let last = 0; last < next && next < values.length && text.length < MAX_VALUE;) {
    last = next;
    text += fill();
  }
  return text;
}

function unescape(text: string): string {
  return text
    .replace(/\\0?([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8) || 32))
    .replace(/\\x([0-9a-fA-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16) || 32))
    .replaceAll("\\n", "\n")
    .replaceAll("\\t", "\t");
}
