/** The origin of a view. Everything but `plain` was hidden from, or unreadable for, a person. */
export type Origin =
  | "plain"
  | "encoded"
  | "smuggled"
  | "respelled"
  | "rotated"
  | "reversed"
  | "split"
  | "assembled"
  | "name";

/** A text to search for signals, in comparison form, with the origin of each character. */
export interface View {
  readonly text: string;
  readonly origin: Origin;
  /** The offset in the original text for each character, then the end. */
  readonly offsets: Int32Array;
}

/** The span of the original text that a span of the view came from. */
export function originalSpan(view: View, start: number, end: number): { start: number; end: number } {
  const from = view.offsets[start] ?? 0;
  const last = view.offsets[Math.max(start, end - 1)] ?? from;
  if (view.offsets[view.text.length - 1] === from)
    return { start: from, end: view.offsets[view.text.length] ?? from + 1 };
  let next = end;
  // Several characters can come from one place, so the span ends where the next place begins.
  while (next < view.text.length && (view.offsets[next] ?? 0) <= last) next++;
  const to = view.offsets[Math.min(next, view.text.length)] ?? last + 1;
  return { start: from, end: Math.max(to, from + 1) };
}

/** Collects characters with their offsets. `capacity` is a hard limit; anything beyond it is dropped. */
export function collectView(capacity: number): {
  readonly codes: Uint16Array;
  add(code: number, at: number): void;
  size(): number;
  finish(origin: Origin, end: number): View;
} {
  const codes = new Uint16Array(capacity);
  const offsets = new Int32Array(capacity + 1);
  let length = 0;
  return {
    codes,
    add(code, at) {
      if (length >= capacity) return;
      codes[length] = code;
      offsets[length++] = at;
    },
    size: () => length,
    finish(origin, end) {
      offsets[length] = end;
      return { text: utf16.decode(codes.subarray(0, length)), origin, offsets: offsets.subarray(0, length + 1) };
    },
  };
}

const utf16 = new TextDecoder("utf-16le");

/** A finding before its points are turned into a severity. Offsets refer to the original text. */
export interface Signal {
  readonly kind: string;
  readonly points: number;
  readonly start: number;
  readonly end: number;
}

/**
 * Every match of a global pattern. Like `matchAll`, but does not copy the pattern: a copy is recompiled for every text,
 * which costs more than the search.
 */
export function* eachMatch(text: string, pattern: RegExp): Generator<RegExpExecArray> {
  let from = 0;
  for (;;) {
    pattern.lastIndex = from;
    const match = pattern.exec(text);
    if (match === null) return;
    // Kept separately, because another search may change the pattern's `lastIndex` while the caller works.
    from = match[0] === "" ? pattern.lastIndex + 1 : pattern.lastIndex;
    yield match;
  }
}
