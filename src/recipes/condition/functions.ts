import { isRecord } from "../../lib/is-record.ts";
import type { ContextValue } from "../recipe/recipe.ts";
import { textOf } from "../template/text-of.ts";
import { isTruthy, numberIn } from "./values.ts";

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

const MAX_TEXT = 10_000_000;

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
