/** True for an object with named fields; arrays and null are none. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The strings of an array, or undefined when the value is no array of strings only. */
export function strings(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const found = value.filter((item) => typeof item === "string");
  return found.length === value.length ? found : undefined;
}
