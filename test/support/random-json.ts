const KEY_PARTS = ["a", "u", "0", "\\\\", "\\u0000", "\\u0061", '\\"', "\\n", "\\/", "é", "\\ud800", "\\u005C", "1"];
const SCALARS = ["1", "-0.5", "1e3", "true", "null", '""', '"a\\nb"', '"\\\\"', '"{\\"a\\":1}"', '"\\u00e9"'];
const BLANKS = ["", "", "", "", "", "", "", " \n"];

/**
 * A random JSON text of the kind that V8 misreads: objects that begin alike, keys with escapes and backslashes. One in
 * ten is damaged.
 */
export function randomJson(random: () => number): string {
  const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)] ?? "";
  const many = (most: number, make: () => string) => Array.from({ length: Math.floor(random() * (most + 1)) }, make);

  const key = () => (random() < 0.1 ? '"__proto__"' : `"${many(3, () => pick(KEY_PARTS)).join("")}"`);
  const field = (name: string, depth: number) => `${pick(BLANKS)}${name}${pick(BLANKS)}:${value(depth)}`;
  const object = (depth: number) => {
    const start = ['"p1"', '"p2"'].slice(0, Math.floor(random() * 3));
    const fields = [...start, ...many(2, key)].map((name) => field(name, depth + 1));
    return `{${fields.join(",")}${pick(BLANKS)}}`;
  };
  const value = (depth: number): string => {
    const kind = random();
    if (depth > 2 || kind > 0.3) return `${pick(BLANKS)}${pick(SCALARS)}${pick(BLANKS)}`;
    return kind < 0.2 ? object(depth) : `[${many(2, () => value(depth + 1)).join(",")}]`;
  };

  const text = object(0);
  if (random() < 0.9) return text;
  const at = Math.floor(random() * text.length);
  return text.slice(0, at) + pick(["", '"', "\\", "}", ",", "0"]) + text.slice(at + 1);
}
