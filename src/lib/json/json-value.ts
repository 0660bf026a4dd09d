/** True for an object with named fields; false for arrays and null. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The strings of an array, or undefined when the value is not an array of only strings. */
export function strings(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const found = value.filter((item) => typeof item === "string");
  return found.length === value.length ? found : undefined;
}

/** The fields that have a value. */
export const definedFields = <Value>(fields: Readonly<Record<string, Value | undefined>>): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );

/** JSON with sorted keys and no whitespace, so that equal values give equal text. Undefined fields are omitted. */
export const canonicalJson = (value: unknown): string =>
  sortedJson(value, plainText, (one, other) => (one < other ? -1 : 1));

/** The text of what is no list and no object, or undefined. */
const plainText = (value: unknown) =>
  typeof value === "object" && value !== null ? undefined : (JSON.stringify(value) ?? "null");

/** JSON without whitespace, with keys in an order. `textOf` writes keys, and every value for which it has a text. */
export function sortedJson(
  value: unknown,
  textOf: (value: unknown) => string | undefined,
  order: (one: string, other: string) => number,
): string {
  const text = textOf(value);
  if (text !== undefined) return text;
  if (Array.isArray(value)) return `[${value.map((item) => sortedJson(item, textOf, order)).join(",")}]`;
  const fields: string[] = [];
  for (const [key, item] of Object.entries(value ?? {}).sort(([one], [other]) => order(one, other)))
    if (item !== undefined) fields.push(`${textOf(key)}:${sortedJson(item, textOf, order)}`);
  return `{${fields.join(",")}}`;
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Where a value is invalid, and how: `meta.run_id: expected string, received undefined`. */
export function describeIssue({ path, message }: Issue): string {
  return `${path.map(String).join(".") || "the whole"}: ${message.replace(/^Invalid input: /, "")}`;
}
