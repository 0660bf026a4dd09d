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
