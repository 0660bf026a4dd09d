/**
 * Every match of a global pattern. Like `matchAll`, but without a copy of the pattern: a copy is compiled again for every
 * text, which costs more than the search.
 */
export function* eachMatch(text: string, pattern: RegExp): Generator<RegExpExecArray> {
  let from = 0;
  for (;;) {
    pattern.lastIndex = from;
    const match = pattern.exec(text);
    if (match === null) return;
    // Kept apart from the pattern, which another search may move while the caller works.
    from = match[0] === "" ? pattern.lastIndex + 1 : pattern.lastIndex;
    yield match;
  }
}
