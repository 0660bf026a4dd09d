import { redact, type RedactOptions, secretValues } from "../../guard/redact/redact.ts";

/** The same JSON value with the secrets in its texts replaced, those included that only the name of their field betrays. */
export function redactJson(value: unknown, options: RedactOptions = {}): unknown {
  if (typeof value === "string") return redact(value, options).text;
  if (Array.isArray(value)) return value.map((item) => redactJson(item, options));
  if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [redact(name, options).text, redactField(name, item, options)]),
  );
}

function redactField(name: string, value: unknown, options: RedactOptions): unknown {
  const telling = typeof value === "string" && secretValues({ [name]: value }).length > 0;
  return telling && !value.startsWith("[redacted ") ? "[redacted secret]" : redactJson(value, options);
}
