import { BRACE, BRACKET, END_BRACE, END_BRACKET, scanJson } from "./scan-json.ts";

// A lone string has no key that could be misread.
const { parse: parseString } = JSON;

/** Replaces a string or number. It also sees keys, which stay unchanged. */
export type ReadScalar = (value: string | number, token: string) => unknown;

/**
 * The value of a text that `JSON.parse` accepts. Slower, but free of V8's bug with escaped keys, and numbers are passed
 * on as written. It uses its own stack, so deep nesting is safe.
 */
export function readValidJson(text: string, readScalar: ReadScalar = (value) => value): unknown {
  const outermost: unknown[] = [];
  const open: Container[] = [{ items: outermost }];
  const put = (value: unknown) => {
    const parent = open.at(-1);
    if (parent?.items !== undefined) parent.items.push(value);
    else if (parent?.key !== undefined) {
      setField(parent.fields, parent.key, value);
      parent.key = undefined;
    }
  };

  scanJson(text, (first, start, end) => {
    if (first === END_BRACKET || first === END_BRACE) open.pop();
    else if (first === BRACKET) {
      const items: unknown[] = [];
      put(items);
      open.push({ items });
    } else if (first === BRACE) {
      const fields = {};
      put(fields);
      open.push({ fields, key: undefined });
    } else {
      const token = text.slice(start, end);
      const value = scalar(token);
      const read = typeof value === "string" || typeof value === "number" ? readScalar(value, token) : value;
      const parent = open.at(-1);
      if (parent?.fields !== undefined && parent.key === undefined) parent.key = String(value);
      else put(read);
    }
    return false;
  });
  return outermost[0];
}

/** An array, or an object and the key whose value comes next. */
type Container =
  | { readonly items: unknown[]; readonly fields?: undefined }
  | { readonly fields: Record<string, unknown>; key: string | undefined; readonly items?: undefined };

function setField(fields: Record<string, unknown>, key: string, value: unknown): void {
  // Assigning it would set the prototype instead.
  if (key === "__proto__")
    Object.defineProperty(fields, key, { value, enumerable: true, configurable: true, writable: true });
  else fields[key] = value;
}

function scalar(token: string): string | number | boolean | null {
  if (token.startsWith('"')) return token.includes("\\") ? String(parseString(token)) : token.slice(1, -1);
  if (token === "null") return null;
  return token === "true" || token === "false" ? token === "true" : Number(token);
}
