import { redact, type RedactOptions, secretValues } from "../../guard/redact/redact.ts";

/** The same JSON value with the secrets in its texts replaced, those included that only the name of their field betrays. */
export function redactJson(value: unknown, options: RedactOptions = {}): unknown {
  const known = new Map<string, FieldName>();
  const nameOf = (name: string) => {
    const seen = known.get(name) ?? readName(name, options);
    known.set(name, seen);
    return seen;
  };
  const walk = (item: unknown): unknown => {
    if (typeof item === "string") return redact(item, options).text;
    if (Array.isArray(item)) return item.map(walk);
    if (typeof item !== "object" || item === null || JSON.isRawJSON(item)) return item;
    return Object.fromEntries(Object.entries(item).map(([name, field]) => redactField(nameOf(name), field, walk)));
  };
  return walk(value);
}

/** A name stands on thousands of fields: what it means is found out once. */
interface FieldName {
  readonly name: string;
  readonly redacted: string;
  /** The name says that its value is secret. */
  readonly telling: boolean;
}

function readName(name: string, options: RedactOptions): FieldName {
  const telling = secretValues({ [name]: "any long value" }).length > 0;
  return { name, redacted: redact(name, options).text, telling };
}

function redactField({ name, redacted, telling }: FieldName, value: unknown, walk: (value: unknown) => unknown) {
  const secret = telling && typeof value === "string" && secretValues({ [name]: value }).length > 0;
  return [redacted, secret && !value.startsWith("[redacted ") ? "[redacted secret]" : walk(value)] as const;
}
