import { BRACE, BRACKET, END_BRACE, END_BRACKET, scanJson } from "./scan-json.ts";

/** How deeply the brackets of a JSON text nest, ignoring strings. Does not check whether the text is valid. */
export function jsonDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  scanJson(text, (first) => {
    if (first === BRACE || first === BRACKET) deepest = Math.max(deepest, ++depth);
    else if (first === END_BRACE || first === END_BRACKET) depth--;
    return false;
  });
  return deepest;
}
