import { canonicalJson, isRecord } from "../../lib/json/json-value.ts";
import type { ContextValue } from "../recipe/recipe.ts";
import { textOf } from "./text-template.ts";

export const COMPARISONS = ["==", "!=", "<", "<=", ">", ">=", "in", "not in"] as const;

export type Comparison = (typeof COMPARISONS)[number];

/** A parsed condition. Every part knows where it stands. */
export type Condition = { readonly position: number } & (
  | { readonly kind: "value"; readonly value: boolean | number }
  /** A text, which may refer to context values: `'{{name}}'`. */
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "reference"; readonly name: string }
  | { readonly kind: "list"; readonly items: readonly Condition[] }
  | { readonly kind: "item"; readonly of: Condition; readonly key: Condition }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly Condition[] }
  | { readonly kind: "method"; readonly of: Condition; readonly name: string; readonly args: readonly Condition[] }
  | { readonly kind: "not"; readonly of: Condition }
  | { readonly kind: "and" | "or"; readonly left: Condition; readonly right: Condition }
  | { readonly kind: "compare"; readonly by: Comparison; readonly left: Condition; readonly right: Condition }
);

type Callable = (...args: readonly ContextValue[]) => ContextValue;

/** What a condition may call by name. They throw an Error with the reason. */
export const FUNCTIONS: Readonly<Record<string, Callable>> = {
  int: (value) => Math.trunc(toNumber("int", value)),
  float: (value) => toNumber("float", value),
  str: (value) => textOf(value),
  bool: (value) => isTruthy(value),
  len: (value) => lengthOf(value),
  min: (...values) => extreme("min", values, (one, other) => one < other),
  max: (...values) => extreme("max", values, (one, other) => one > other),
};

const MAX_TEXT = 10_000_000;

/** What a condition may call on a value, which is read as text. */
export const METHODS: Readonly<Record<string, (text: string, ...args: readonly ContextValue[]) => ContextValue>> = {
  strip: (text) => text.trim(),
  lstrip: (text) => text.trimStart(),
  rstrip: (text) => text.trimEnd(),
  lower: (text) => text.toLowerCase(),
  upper: (text) => text.toUpperCase(),
  title: (text) => text.toLowerCase().replace(/\p{L}+/gu, (word) => word.charAt(0).toUpperCase() + word.slice(1)),
  startswith: (text, part) => text.startsWith(argument("startswith", part)),
  endswith: (text, part) => text.endsWith(argument("endswith", part)),
  replace: (text, part, by) => bounded(text, argument("replace", part), argument("replace", by)),
  split: (text, by) => (by === undefined ? text.split(/\s+/).filter((word) => word !== "") : text.split(separator(by))),
  join: (text, items) => {
    if (!Array.isArray(items)) throw new Error("join() needs a list");
    return items.map(textOf).join(text);
  },
  count: (text, part) => text.split(argument("count", part)).length - 1,
  find: (text, part) => text.indexOf(argument("find", part)),
};

function toNumber(name: string, value: ContextValue): number {
  if (typeof value === "boolean") return Number(value);
  const number = numberIn(value);
  if (number !== undefined) return number;
  throw new Error(`${name}() needs a number, not ${describe(value)}`);
}

function lengthOf(value: ContextValue): number {
  if (Array.isArray(value)) return value.length;
  if (isRecord(value)) return Object.keys(value).length;
  return Array.from(textOf(value)).length;
}

type IsBetter = (one: number, other: number) => boolean;

function extreme(name: string, values: readonly ContextValue[], isBetter: IsBetter): number {
  if (values.length < 2) throw new Error(`${name}() needs two values or more`);
  return values.map((value) => toNumber(name, value)).reduce((best, next) => (isBetter(next, best) ? next : best));
}

function argument(name: string, value: ContextValue): string {
  if (value === undefined) throw new Error(`${name}() needs a text`);
  return textOf(value);
}

function separator(value: ContextValue): string {
  const text = textOf(value);
  if (text === "") throw new Error("split() needs a separator that is not empty");
  return text;
}

/** A few nested replacements could otherwise fill the memory. */
function bounded(text: string, part: string, by: string): string {
  const found = text.split(part).length - 1;
  if (text.length + found * by.length > MAX_TEXT) throw new Error("replace() would make a text of more than 10 MB");
  return text.replaceAll(part, () => by);
}

function describe(value: ContextValue): string {
  if (value === null || value === undefined) return "nothing";
  return JSON.stringify(value).slice(0, 60);
}

/** Whether a value counts as true: everything but null, false, 0, and empty texts, lists and objects. */
export function isTruthy(value: ContextValue): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isRecord(value)) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** The number that a value stands for: a number, or a text that is one. */
export function numberIn(value: ContextValue): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || !/^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/.test(value)) return undefined;
  return Number(value);
}

/** A number equals a text that spells it, and a boolean the text `true` or `false`. */
export function isEqual(left: ContextValue, right: ContextValue): boolean {
  if (typeof left === "boolean" && typeof right === "string") return right === String(left) || right === titled(left);
  if (typeof left === "string" && typeof right === "boolean") return isEqual(right, left);
  if (typeof left === "number" || typeof right === "number") {
    const [one, other] = [numberIn(left), numberIn(right)];
    return one !== undefined && one === other;
  }
  return canonicalJson(left ?? null) === canonicalJson(right ?? null);
}

const titled = (value: boolean) => (value ? "True" : "False");

/** Values that have no order are neither smaller nor larger. */
export function compareValues(by: Comparison, left: ContextValue, right: ContextValue): boolean {
  switch (by) {
    case "==":
      return isEqual(left, right);
    case "!=":
      return !isEqual(left, right);
    case "in":
      return isIn(left, right);
    case "not in":
      return !isIn(left, right);
    default: {
      const order = orderOf(left, right);
      if (order === undefined) return false;
      return by === "<" ? order < 0 : by === "<=" ? order <= 0 : by === ">" ? order > 0 : order >= 0;
    }
  }
}

function orderOf(left: ContextValue, right: ContextValue): number | undefined {
  const [one, other] = [orderNumber(left), orderNumber(right)];
  if (one !== undefined && other !== undefined) return one - other;
  if (typeof left === "string" && typeof right === "string") return left < right ? -1 : left > right ? 1 : 0;
  return undefined;
}

function orderNumber(value: ContextValue): number | undefined {
  if (typeof value === "boolean") return Number(value);
  if (value === "true" || value === "True") return 1;
  if (value === "false" || value === "False") return 0;
  return numberIn(value);
}

/** A part of a text, a member of a list, or a field of an object. */
function isIn(part: ContextValue, whole: ContextValue): boolean {
  if (typeof whole === "string")
    return typeof part === "string" ? whole.includes(part) : isScalar(part) && whole.includes(String(part));
  if (Array.isArray(whole)) return whole.some((item) => isEqual(part, item));
  return isRecord(whole) && typeof part === "string" && Object.hasOwn(whole, part);
}

const isScalar = (value: ContextValue) => typeof value === "number" || typeof value === "boolean";
