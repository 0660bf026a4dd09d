/** How deep the brackets of a JSON text nest, strings left out. Says nothing about whether the text is valid. */
export function jsonDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (quoted) {
      if (character === "\\") index++;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === "{" || character === "[") deepest = Math.max(deepest, ++depth);
    else if (character === "}" || character === "]") depth--;
  }
  return deepest;
}
