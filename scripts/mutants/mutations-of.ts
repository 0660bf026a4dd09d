import { parseSync, visitorKeys } from "oxc-parser";
import { isRecord } from "../../src/lib/json/json-value.ts";

/** One small change of a source text that a test should notice. */
export interface Mutation {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** The line where the change begins, from 1. */
  readonly line: number;
}

type Change = Omit<Mutation, "line">;

interface Node extends Readonly<Record<string, unknown>> {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/** Every mutation we know for a TypeScript text, in text order. Types, imports and keys stay. */
export function mutationsOf(path: string, text: string): readonly Mutation[] {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0 || !isNode(program)) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);
  const changes: Change[] = [];
  const waiting: Node[] = [program];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    changes.push(...(MUTATORS[node.type]?.(node, text) ?? []));
    waiting.push(...childrenOf(node));
  }
  return changes
    .toSorted((one, other) => one.start - other.start || one.kind.localeCompare(other.kind))
    .map((change) => ({ ...change, line: text.slice(0, change.start).split("\n").length }));
}

const isNode = (value: unknown): value is Node =>
  isRecord(value) && typeof value["type"] === "string" && typeof value["start"] === "number";

/** Types have no behaviour, but some type nodes wrap an expression. */
const isSkipped = ({ type }: Node) =>
  /^(?:Import|ExportAll|TS(?!As|Satisfies|NonNull|ExportAssignment))/.test(type) && type !== "ImportExpression";

function childrenOf(node: Node): Node[] {
  if (isSkipped(node)) return [];
  const keys = (visitorKeys[node.type] ?? []).filter((key) => key !== "source" && !isName(node, key));
  return keys.flatMap((key) => node[key]).filter(isNode);
}

const isName = (node: Node, key: string) => key === "key" && node["computed"] !== true;

const MUTATORS: Readonly<Record<string, (node: Node, text: string) => readonly Change[]>> = {
  IfStatement: negateTest,
  ConditionalExpression: negateTest,
  WhileStatement: negateTest,
  LogicalExpression: swapLogic,
  BinaryExpression: swapOperator,
  UnaryExpression: (node, text) =>
    node["operator"] === "!" ? [change("drop !", node, sourceOf(node["argument"], text))] : [],
  ExpressionStatement: (node) => (node["directive"] == null ? [change("drop statement", node, ";")] : []),
  ThrowStatement: (node) => [change("drop statement", node, ";")],
  ReturnStatement: ({ argument }, text) => returnNothing(argument, text),
  ArrowFunctionExpression: ({ body }, text) => returnNothing(body, text),
  Literal: changeLiteral,
};

const change = (kind: string, { start, end }: Node, replacement: string): Change => ({ kind, start, end, replacement });

const sourceOf = (node: unknown, text: string) => (isNode(node) ? text.slice(node.start, node.end) : "");

function returnNothing(value: unknown, text: string): readonly Change[] {
  const isValue = isNode(value) && value.type !== "BlockStatement" && sourceOf(value, text) !== "undefined";
  return isValue ? [change("return value", value, "undefined")] : [];
}

function negateTest({ test }: Node, text: string): readonly Change[] {
  return isNode(test) ? [change("negate condition", test, `!(${sourceOf(test, text)})`)] : [];
}

function swapLogic(node: Node, text: string): readonly Change[] {
  const [left, right] = [sourceOf(node["left"], text), sourceOf(node["right"], text)];
  if (node["operator"] === "??") return [change("drop fallback", node, `(${left})`)];
  const operator = node["operator"] === "&&" ? "||" : "&&";
  return [change("&& and ||", node, `((${left}) ${operator} (${right}))`)];
}

const OTHER_OPERATOR: Readonly<Record<string, string>> = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
};

function swapOperator(node: Node, text: string): readonly Change[] {
  const { left, right, operator } = node;
  const other = OTHER_OPERATOR[String(operator)];
  if (other === undefined || (other === "-" && (isText(left) || isText(right)))) return [];
  const kind = /^[-+*/]$/.test(other) ? "arithmetic" : "comparison";
  return [change(kind, node, `((${sourceOf(left, text)}) ${other} (${sourceOf(right, text)}))`)];
}

const isText = (node: unknown) =>
  isNode(node) && (node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node["value"] === "string"));

/** Increments a small number, zeroes a limit, empties a word. Sentences stay, because they are wording. */
function changeLiteral(node: Node): readonly Change[] {
  const { value } = node;
  if (typeof value === "boolean") return [change("literal", node, String(!value))];
  if (typeof value === "number") return [change("literal", node, value > 10 ? "0" : String(value + 1))];
  return typeof value === "string" && /^\S+$/.test(value) ? [change("literal", node, '""')] : [];
}
