/** A range of the original text. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** Where a view comes from. Everything but `plain` was hidden from, or unreadable for, a person. */
export type Origin = "plain" | "encoded" | "smuggled" | "respelled" | "rotated" | "reversed" | "assembled";

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
export function collectView(capacity: number) {
  const codes = new Uint16Array(capacity);
  const offsets = new Int32Array(capacity + 1);
  let length = 0;
  return {
    codes,
    add(code: number, at: number): void {
      if (length >= capacity) return;
      codes[length] = code;
      offsets[length++] = at;
    },
    size: () => length,
    finish(origin: Origin, end: number): View {
      offsets[length] = end;
      return { text: utf16.decode(codes.subarray(0, length)), origin, offsets: offsets.subarray(0, length + 1) };
    },
  };
}

const utf16 = new TextDecoder("utf-16le");

/** A matched rule, with offsets in the swept text. */
export interface Match extends Stretch {
  readonly kind: string;
  readonly points: number;
}

export interface Swept {
  readonly matches: readonly Match[];
  /** Where the text talks about tests, examples or detection. Nearby matches may only be examples. */
  readonly talk: readonly number[];
  /** Where the text names attacks. Nearby matches may only be descriptions. */
  readonly warnings: readonly number[];
}

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
