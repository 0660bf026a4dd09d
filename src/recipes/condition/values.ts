import { canonicalJson } from "../../lib/canonical-json.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { ContextValue } from "../recipe/recipe.ts";
import type { Comparison } from "./condition.ts";

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
