import { stringEnd } from "./string-end.ts";

const QUOTE = 0x22;

/** How deeply the brackets of a JSON text nest, ignoring strings. Does not check whether the text is valid. */
export function jsonDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === QUOTE) index = stringEnd(text, index);
    // { and [ differ only in this bit, and so do } and ].
    else if ((unit | 0x20) === 0x7b) deepest = Math.max(deepest, ++depth);
    else if ((unit | 0x20) === 0x7d) depth--;
  }
  return deepest;
}
