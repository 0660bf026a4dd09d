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
