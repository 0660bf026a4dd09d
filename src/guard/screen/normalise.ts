import { fold, imitated, invisible, readEscape } from "./characters.ts";
import { collectView, type Origin, type Stretch, type View } from "./view.ts";

interface Normalised {
  readonly view: View;
  /** Number of characters that appeared only after decoding entities, percent codes or escapes. */
  readonly decoded: number;
  /** Words that mix Latin letters with look-alikes of another script. */
  readonly mixedWords: readonly Stretch[];
}

/**
 * The text as a reader who decodes everything would see it: entities, percent codes and escapes decoded, invisible
 * characters removed, letters folded, look-alikes in mixed words restored to Latin.
 */
export function normalise(text: string): Normalised {
  const out = collectView(text.length + 64);
  const mixedWords: Stretch[] = [];
  const word = { start: 0, from: 0, latin: 0, foreign: 0 };
  let decoded = 0;

  const endWord = (at: number) => {
    if (word.latin > 0 && word.foreign > 0 && restoreLatin(out.codes, word.start, out.size())) {
      mixedWords.push({ start: word.from, end: at });
    }
    word.start = out.size() + 1;
    word.from = at + 1;
    word.latin = word.foreign = 0;
  };
  const add = (code: number, at: number) => {
    if (code > 0x60 && code < 0x7b) word.latin++;
    else if (code >= 0x370 && code < 0x530) word.foreign++;
    else if (code < 0x80) endWord(at);
    out.add(code, at);
  };
  const addPoint = (codePoint: number, at: number) => {
    if (invisible(codePoint)) return;
    if (codePoint < 0x80) return add(codePoint > 0x40 && codePoint < 0x5b ? codePoint + 32 : codePoint, at);
    const folded = fold(codePoint);
    for (let index = 0; index < folded.length; index++) add(folded.charCodeAt(index), at);
  };

  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    // &, % and \ may start an encoded character.
    const escape = code === 0x26 || code === 0x25 || code === 0x5c ? readEscape(text, at) : undefined;
    if (escape) {
      for (const character of escape.text) addPoint(character.codePointAt(0) ?? 0, at);
      if (escape.counts) decoded += escape.text.length;
      at += escape.length;
      continue;
    }
    const codePoint = code >= 0xd800 && code < 0xdc00 ? (text.codePointAt(at) ?? code) : code;
    addPoint(codePoint, at);
    at += codePoint > 0xffff ? 2 : 1;
  }
  endWord(text.length);
  return { view: out.finish("plain", text.length), decoded, mixedWords };
}

/** Restores look-alikes in `codes` to Latin, unless some letter of the word has no Latin twin. */
function restoreLatin(codes: Uint16Array, start: number, end: number): boolean {
  const twins: [number, string][] = [];
  for (let at = start; at < end; at++) {
    const code = codes[at] ?? 0;
    if (code < 0x80) continue;
    const twin = imitated(code);
    if (twin === undefined) return false;
    twins.push([at, twin]);
  }
  for (const [at, twin] of twins) codes[at] = twin.charCodeAt(0);
  return twins.length > 0 && end - start > 3;
}

/** A view of text decoded from one stretch. Each of its characters maps to the whole stretch. */
export function decodedView(text: string, from: Stretch, origin: Origin): View {
  const { view } = normalise(text);
  const offsets = new Int32Array(view.text.length + 1).fill(from.start);
  offsets[view.text.length] = from.end;
  return { text: view.text, origin, offsets };
}
