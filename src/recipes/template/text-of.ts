import { isRecord } from "../../lib/is-record.ts";
import type { Context, ContextValue } from "../recipe/recipe.ts";

/** A value as text: objects and lists as compact JSON, null and missing as nothing. */
export function textOf(value: ContextValue): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  return JSON.stringify(value) ?? "";
}

/** The value at a dotted name. The whole name wins over a path through objects. Undefined when there is none. */
export function lookUp(context: Context, name: string): ContextValue {
  if (Object.hasOwn(context, name)) return context[name];
  let value: ContextValue = context;
  for (const part of name.split(".")) {
    if (!isRecord(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value;
}
