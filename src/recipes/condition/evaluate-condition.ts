import { messageOf } from "../../lib/message-of.ts";
import type { Context, ContextValue } from "../recipe/recipe.ts";
import { itemAt, lookUp, textOf } from "../template/text-of.ts";
import { fillText } from "../template/text-template.ts";
import type { Condition } from "./condition.ts";
import { ConditionError } from "./condition-error.ts";
import { FUNCTIONS, METHODS } from "./functions.ts";
import { parseCondition } from "./parse-condition.ts";
import { compareValues, isTruthy } from "./values.ts";

/** Whether a condition holds in a context. Throws a ConditionError when it cannot be parsed or evaluated. */
export function holds(source: string, context: Context): boolean {
  return isTruthy(valueOf(parseCondition(source), context));
}

/** The value of a condition. `and` and `or` do not evaluate their right side when the left one decides. */
function valueOf(condition: Condition, context: Context): ContextValue {
  switch (condition.kind) {
    case "value":
      return condition.value;
    case "text":
      return fillText(condition.text, context);
    case "name":
      return Object.hasOwn(context, condition.name) ? context[condition.name] : null;
    case "reference":
      return lookUp(context, condition.name) ?? null;
    case "list":
      return condition.items.map((item) => valueOf(item, context));
    case "item":
      return itemOf(condition, context);
    case "call":
    case "method":
      return called(condition, context);
    case "not":
      return !isTruthy(valueOf(condition.of, context));
    case "and":
    case "or": {
      const left = valueOf(condition.left, context);
      return isTruthy(left) === (condition.kind === "and") ? valueOf(condition.right, context) : left;
    }
    case "compare":
      return compareValues(condition.by, valueOf(condition.left, context), valueOf(condition.right, context));
  }
}

function itemOf({ of, key, position }: Extract<Condition, { kind: "item" }>, context: Context): ContextValue {
  const field = textOf(valueOf(key, context));
  if (field.includes("__")) throw new ConditionError(`unsafe name '${field}': '__' is not allowed`, position);
  return itemAt(valueOf(of, context), field) ?? null;
}

type Call = Extract<Condition, { kind: "call" | "method" }>;

function called(call: Call, context: Context): ContextValue {
  const args = call.args.map((item) => valueOf(item, context));
  const of = call.kind === "method" ? valueOf(call.of, context) : null;
  if (typeof of === "object" && of !== null)
    throw new ConditionError(
      `${call.name}() works on text, not on ${Array.isArray(of) ? "a list" : "an object"}`,
      call.position,
    );
  try {
    return call.kind === "method" ? METHODS[call.name]?.(textOf(of), ...args) : FUNCTIONS[call.name]?.(...args);
  } catch (error) {
    throw new ConditionError(messageOf(error), call.position);
  }
}
