import { COMPARISONS, type Comparison, type Condition } from "./condition.ts";
import { ConditionError } from "./condition-error.ts";
import { FUNCTIONS, METHODS } from "./functions.ts";
import { type ConditionToken, readTokens } from "./read-tokens.ts";

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

const END: ConditionToken = { kind: "end", text: "", position: 1 };

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
