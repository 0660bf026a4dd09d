/**
 * The words of a command line with quotes and backslashes, as a shell reads them when nothing is to be expanded.
 * Undefined when a quote is left open.
 */
export function splitWords(text: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (quote === "'" ? character === "'" : quote === '"' && character === '"') quote = "";
    else if (quote === "'") word += character;
    else if (character === "\\" && (quote === "" || /["\\$`\n]/.test(text[at + 1] ?? "")) && at + 1 < text.length)
      word = (word ?? "") + (text[++at] ?? "");
    else if (quote === '"') word += character;
    else if (character === "'" || character === '"') [quote, word] = [character, word ?? ""];
    else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + character;
  }
  if (quote !== "") return undefined;
  return word === undefined ? words : [...words, word];
}
