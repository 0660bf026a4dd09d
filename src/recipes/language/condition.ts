import { messageOf } from "../../lib/text/user-error.ts";
import type { Context, ContextValue } from "../recipe/recipe.ts";
import {
  compareValues,
  type Comparison,
  COMPARISONS,
  type Condition,
  FUNCTIONS,
  isTruthy,
  METHODS,
} from "./condition-values.ts";
import { fillText, itemAt, lookUp, PATH, textOf } from "./text-template.ts";

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

const MAX_NESTING = 32;

/** Parses a whole condition; text after its end is an error. Throws a ConditionError with the position. */
export function parseCondition(source: string): Condition {
  const reader = new TokenReader(readTokens(source));
  const condition = readOr(reader);
  const rest = reader.peek();
  if (rest.kind === "end") return condition;
  const isComparison = isOneOf(rest.text, COMPARISONS) && condition.kind === "compare";
  throw new ConditionError(
    isComparison ? "comparisons cannot be chained; join them with 'and'" : `unexpected '${rest.text}' after the end`,
    rest.position,
  );
}

const END: ConditionToken = { kind: "end", text: "", position: 1 };

/** A condition that cannot be parsed or evaluated. Positions count from 1. */
export class ConditionError extends Error {
  readonly position: number;

  constructor(message: string, position: number) {
    super(`${message} (at position ${position})`);
    this.name = "ConditionError";
    this.position = position;
  }
}

/** Where the parser stands, and how deeply it has nested. */
class TokenReader {
  private next = 0;
  private depth = 0;
  private readonly tokens: readonly ConditionToken[];

  constructor(tokens: readonly ConditionToken[]) {
    this.tokens = tokens;
  }

  peek(ahead = 0): ConditionToken {
    return this.tokens[Math.min(this.next + ahead, this.tokens.length - 1)] ?? END;
  }

  take(): ConditionToken {
    const token = this.peek();
    this.next++;
    return token;
  }

  /** Takes the next token if it is one of these marks or words. */
  accept(...words: readonly string[]): ConditionToken | undefined {
    const { kind, text } = this.peek();
    return (kind === "mark" || kind === "name") && words.includes(text) ? this.take() : undefined;
  }

  expect(mark: string): void {
    const { kind, text, position } = this.peek();
    if (this.accept(mark) !== undefined) return;
    throw new ConditionError(`expected '${mark}'${kind === "end" ? "" : ` instead of '${text}'`}`, position);
  }

  nested<Result>(read: () => Result): Result {
    if (++this.depth > MAX_NESTING)
      throw new ConditionError(`nested more than ${MAX_NESTING} levels deep`, this.peek().position);
    const result = read();
    this.depth--;
    return result;
  }
}

function readOr(reader: TokenReader): Condition {
  let left = readAnd(reader);
  for (let by = reader.accept("or", "||"); by !== undefined; by = reader.accept("or", "||"))
    left = { kind: "or", left, right: readAnd(reader), position: by.position };
  return left;
}

function readAnd(reader: TokenReader): Condition {
  let left = readNot(reader);
  for (let by = reader.accept("and", "&&"); by !== undefined; by = reader.accept("and", "&&"))
    left = { kind: "and", left, right: readNot(reader), position: by.position };
  return left;
}

function readNot(reader: TokenReader): Condition {
  const not = reader.accept("not");
  if (not === undefined) return readComparison(reader);
  return { kind: "not", of: reader.nested(() => readNot(reader)), position: not.position };
}

function readComparison(reader: TokenReader): Condition {
  const left = readOperand(reader);
  const { position } = reader.peek();
  const by = readComparator(reader);
  return by === undefined ? left : { kind: "compare", by, left, right: readOperand(reader), position };
}

function readComparator(reader: TokenReader): Comparison | undefined {
  const { kind, text } = reader.peek();
  if (kind === "name" && text === "not" && reader.peek(1).text === "in") {
    reader.take();
    reader.take();
    return "not in";
  }
  if ((kind !== "mark" && kind !== "name") || !isOneOf(text, COMPARISONS)) return undefined;
  reader.take();
  return text;
}

/** A value followed by any number of `.field`, `.method(…)` and `[key]`. */
function readOperand(reader: TokenReader): Condition {
  let operand = readValue(reader);
  for (let mark = reader.accept(".", "["); mark !== undefined; mark = reader.accept(".", "["))
    operand = mark.text === "." ? readMember(reader, operand) : readKey(reader, operand);
  return operand;
}

function readMember(reader: TokenReader, of: Condition): Condition {
  const { kind, text: name, position } = reader.take();
  if (kind !== "name" && kind !== "number") throw new ConditionError("expected a field after '.'", position);
  if (reader.accept("(") === undefined)
    return { kind: "item", of, key: { kind: "text", text: name, position }, position };
  if (!Object.hasOwn(METHODS, name)) throw new ConditionError(`unknown method '${name}'`, position);
  return { kind: "method", of, name, args: readList(reader, ")"), position };
}

function readKey(reader: TokenReader, of: Condition): Condition {
  const { position } = reader.peek();
  const key = reader.nested(() => readOr(reader));
  reader.expect("]");
  return { kind: "item", of, key, position };
}

/** Items up to the closing mark; a comma may stand after the last. */
function readList(reader: TokenReader, close: string): readonly Condition[] {
  const items: Condition[] = [];
  while (reader.accept(close) === undefined) {
    items.push(reader.nested(() => readOr(reader)));
    if (reader.accept(",") !== undefined) continue;
    reader.expect(close);
    break;
  }
  return items;
}

function readValue(reader: TokenReader): Condition {
  const { kind, text, position } = reader.take();
  if (kind === "text") return { kind: "text", text, position };
  if (kind === "number") return { kind: "value", value: Number(text), position };
  if (kind === "reference") return { kind: "reference", name: text, position };
  if (kind === "name") return readName(reader, { kind, text, position });
  if (text === "-" && reader.peek().kind === "number")
    return { kind: "value", value: -Number(reader.take().text), position };
  if (text === "[") return { kind: "list", items: readList(reader, "]"), position };
  if (text === "(") {
    const inner = reader.nested(() => readOr(reader));
    reader.expect(")");
    return inner;
  }
  throw new ConditionError(kind === "end" ? "the condition is incomplete" : `unexpected '${text}'`, position);
}

function readName(reader: TokenReader, { text, position }: ConditionToken): Condition {
  if (/^(?:true|false)$/i.test(text) && text.slice(1) === text.slice(1).toLowerCase())
    return { kind: "value", value: text.toLowerCase() === "true", position };
  if (["and", "or", "not", "in"].includes(text)) throw new ConditionError(`unexpected '${text}'`, position);
  if (reader.accept("(") === undefined) return { kind: "name", name: text, position };
  if (!Object.hasOwn(FUNCTIONS, text)) throw new ConditionError(`unknown function '${text}'`, position);
  return { kind: "call", name: text, args: readList(reader, ")"), position };
}

function isOneOf<Word extends string>(text: string, words: readonly Word[]): text is Word {
  return words.some((word) => word === text);
}

interface ConditionToken {
  readonly kind: "text" | "number" | "name" | "reference" | "mark" | "end";
  /** A text without its quotes and escapes; a name or mark as written. */
  readonly text: string;
  readonly position: number;
}

const MAX_BYTES = 8192;

const SPACE = /\s+/y;

const NUMBER = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![A-Za-z0-9_])/y;

// A hyphen belongs to a name only before a letter, so that `a -1` stays two tokens.
const NAME = /[A-Za-z0-9_]+(?:-[A-Za-z][A-Za-z0-9_]*)*/y;

const REFERENCE = new RegExp(String.raw`\{\{(${PATH})\}\}`, "y");

const MARK = /==|!=|<=|>=|&&|\|\||[<>()[\],.-]/y;

const TEXT = /'((?:[^'\\]|\\[^])*)'|"((?:[^"\\]|\\[^])*)"/y;

/** The tokens of a condition, with an end token last. */
function readTokens(source: string): readonly ConditionToken[] {
  if (Buffer.byteLength(source) > MAX_BYTES)
    throw new ConditionError(`a condition may have at most ${MAX_BYTES} bytes`, MAX_BYTES);
  const tokens: ConditionToken[] = [];
  let at = skipSpace(source, 0);
  while (at < source.length) {
    const { token, end } = tokenAt(source, at);
    tokens.push(token);
    at = skipSpace(source, end);
  }
  return [...tokens, { kind: "end", text: "", position: source.length + 1 }];
}

function skipSpace(source: string, at: number): number {
  return at + (matchAt(SPACE, source, at)?.[0].length ?? 0);
}

function tokenAt(source: string, at: number): { readonly token: ConditionToken; readonly end: number } {
  const position = at + 1;
  const text = matchAt(TEXT, source, at);
  if (text !== null) {
    const content = (text[1] ?? text[2] ?? "").replace(/\\([^])/g, "$1");
    return { token: { kind: "text", text: content, position }, end: at + text[0].length };
  }
  for (const [kind, pattern] of KINDS) {
    const match = matchAt(pattern, source, at);
    if (match === null) continue;
    const name = match[1] ?? match[0];
    if ((kind === "name" || kind === "reference") && name.includes("__"))
      throw new ConditionError(`unsafe name '${name}': '__' is not allowed`, position);
    return { token: { kind, text: name, position }, end: at + match[0].length };
  }
  const character = String.fromCodePoint(source.codePointAt(at) ?? 0);
  if (character === "'" || character === '"') throw new ConditionError("a text without a closing quote", position);
  throw new ConditionError(`unexpected '${character}'`, position);
}

const KINDS = [
  ["number", NUMBER],
  ["name", NAME],
  ["reference", REFERENCE],
  ["mark", MARK],
] as const;

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(source);
}
