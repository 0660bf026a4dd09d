const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** How deep the brackets of a JSON text nest, strings left out. Says nothing about whether the text is valid. */
export function jsonDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === QUOTE) index = endOfString(text, index);
    // { and [ differ from each other by this one bit, and so do } and ].
    else if ((unit | 0x20) === 0x7b) deepest = Math.max(deepest, ++depth);
    else if ((unit | 0x20) === 0x7d) depth--;
  }
  return deepest;
}

/** Where the string that opens at `start` closes; the end of the text when it does not. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}
