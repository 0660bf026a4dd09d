import { PATH } from "../template/text-of.ts";
import { ConditionError } from "./condition-error.ts";

export interface ConditionToken {
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
export function readTokens(source: string): readonly ConditionToken[] {
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
