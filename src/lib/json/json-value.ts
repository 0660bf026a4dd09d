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

/** JSON with sorted keys and no whitespace, so that equal values give equal text. Undefined fields are omitted. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(",")}}`;
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Where a value is invalid, and how: `meta.run_id: expected string, received undefined`. */
export function describeIssue({ path, message }: Issue): string {
  return `${path.map(String).join(".") || "the whole"}: ${message.replace(/^Invalid input: /, "")}`;
}
