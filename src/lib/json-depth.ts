import { BRACE, BRACKET, END_BRACE, END_BRACKET, scanJson } from "./scan-json.ts";

/** How deep the brackets of a JSON text nest, strings left out. Says nothing about whether the text is valid. */
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
