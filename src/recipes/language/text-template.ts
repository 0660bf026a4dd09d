import { isRecord } from "../../lib/json/json-value.ts";
import type { Context, ContextValue } from "../recipe/recipe.ts";

/** What stands between the braces of `{{name}}`, as a pattern: a name, then fields (`.b`, `['b']`) and items (`[1]`). */
export const PATH = String.raw`[A-Za-z0-9_.-]+(?:\[(?:-?\d+|'[^'{}\n]*'|"[^"{}\n]*")\](?:\.[A-Za-z0-9_.-]+)?)*`;

/** `{{name}}`, without spaces. */
const REFERENCE = new RegExp(String.raw`\{\{(${PATH})\}\}`, "g");

/** The names that a text refers to, each once, in order. */
export function referencesIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(REFERENCE)].map((match) => match[1] ?? ""))];
}

/** Text with the values put in. A missing value becomes nothing and is reported. Values are not expanded again. */
export function fillText(text: string, context: Context, onMissing: (name: string) => void = () => {}): string {
  return text.replace(REFERENCE, (_, name: string) => {
    const value = lookUp(context, name);
    if (value === undefined) onMissing(name);
    return textOf(value);
  });
}

/** A value as text: objects and lists as compact JSON, null and missing as nothing. */
export function textOf(value: ContextValue): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  return JSON.stringify(value) ?? "";
}

const PART = /(?:^|\.)([^.[\]]*)|\[(?:'([^']*)'|"([^"]*)"|(-?\d+))\]/g;

/** The value at a path. The whole name wins over a path through objects and lists. Undefined when there is none. */
export function lookUp(context: Context, path: string): ContextValue {
  if (Object.hasOwn(context, path)) return context[path];
  let value: ContextValue = context;
  for (const [, ...keys] of path.matchAll(PART)) value = itemAt(value, keys.find((key) => key !== undefined) ?? "");
  return value;
}

/** A field of an object, or an item of a list; -1 is the last one. */
export function itemAt(whole: ContextValue, key: string): ContextValue {
  if (Array.isArray(whole)) return /^-?\d+$/.test(key) ? whole.at(Number(key)) : undefined;
  return isRecord(whole) && Object.hasOwn(whole, key) ? whole[key] : undefined;
}
