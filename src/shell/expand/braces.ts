const MAX_ITEMS = 64;

/** Expands `{a,b}` and `{1..5}`; undefined if there are too many results or the braces are not simple. */
export function expandBraces(text: string): readonly string[] | undefined {
  // A leading zero means padding.
  const range = /^\{(0|-?[1-9]\d{0,3})\.\.(0|-?[1-9]\d{0,3})\}$/.exec(text);
  if (range !== null) {
    const [from, to] = [Number(range[1]), Number(range[2])];
    const count = Math.abs(to - from) + 1;
    return count > MAX_ITEMS
      ? undefined
      : Array.from({ length: count }, (_, index) => String(from + (to >= from ? index : -index)));
  }
  if (!/^\{[^{}'"\\$`]*\}$/.test(text)) return undefined;
  const items = text.slice(1, -1).split(",");
  return items.length > MAX_ITEMS || items.length < 2 ? undefined : items;
}
