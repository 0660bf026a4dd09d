/** One call in a rules file: its name, its named arguments, and the line it starts on. */
export interface RuleCall {
  readonly name: string;
  readonly values: Readonly<Record<string, Literal>>;
  readonly line: number;
}

export type Literal = string | number | boolean | null | readonly Literal[];

/** Either every call of the file, or the line that is not a plain call with literal arguments. */
export type RulesFile =
  | { readonly calls: readonly RuleCall[] }
  | { readonly unreadable: string; readonly line: number };

/**
 * Reads one of Codex's rules files. They are programs in Starlark; only what Codex itself writes is read: calls with
 * literal arguments. Names for positional arguments come from `positions`.
 */
export function readRulesFile(text: string, positions: Readonly<Record<string, readonly string[]>>): RulesFile {
  const tokens = tokenize(text);
  const reader = new TokenReader(tokens);
  try {
    const calls: RuleCall[] = [];
    while (reader.peek().kind !== "end") calls.push(readCall(reader, positions));
    return { calls };
  } catch (error) {
    if (!(error instanceof NotLiteral)) throw error;
    return { unreadable: (text.split("\n")[error.line - 1] ?? "").trim(), line: error.line };
  }
}

class NotLiteral extends Error {
  override readonly name = "NotLiteral";
  readonly line: number;
  constructor(line: number) {
    super("not a literal");
    this.line = line;
  }
}

interface Token {
  readonly kind: "name" | "string" | "number" | "mark" | "end" | "strange";
  readonly text: string;
  readonly line: number;
}

const TOKEN =
  /(?<blank>[ \t\r\n]+|\\\n|#[^\n]*)|(?<string>"""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*')|(?<name>[A-Za-z_]\w*)|(?<number>\d+)|(?<mark>[()[\],=;])|(?<strange>[\s\S])/gy;

function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let line = 1;
  for (const match of text.matchAll(TOKEN)) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined) ?? ["strange"];
    if (kind !== "blank") tokens.push({ kind: kindOf(kind), text: match[0], line });
    line += match[0].split("\n").length - 1;
  }
  return [...tokens, { kind: "end", text: "", line }];
}

function kindOf(name: string): Token["kind"] {
  return name === "string" || name === "name" || name === "number" || name === "mark" ? name : "strange";
}

class TokenReader {
  readonly #tokens: readonly Token[];
  #at = 0;
  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }
  peek(ahead = 0): Token {
    return this.#tokens[this.#at + ahead] ?? { kind: "end", text: "", line: this.#tokens.at(-1)?.line ?? 1 };
  }
  next(): Token {
    const token = this.peek();
    this.#at++;
    return token;
  }
  /** Takes a mark if it is next. */
  takes(text: string): boolean {
    const { kind, text: found } = this.peek();
    if (kind !== "mark" || found !== text) return false;
    this.#at++;
    return true;
  }
  expect(text: string): void {
    if (!this.takes(text)) throw new NotLiteral(this.peek().line);
  }
}

function readCall(reader: TokenReader, positions: Readonly<Record<string, readonly string[]>>): RuleCall {
  const { kind, text: name, line } = reader.next();
  const names = positions[name];
  if (kind !== "name" || names === undefined) throw new NotLiteral(line);
  reader.expect("(");
  const values: Record<string, Literal> = {};
  for (let index = 0; !reader.takes(")"); index++) {
    const named = reader.peek().kind === "name" && reader.peek(1).text === "=";
    const key = named ? reader.next().text : names[index];
    if (key === undefined || key in values) throw new NotLiteral(reader.peek().line);
    if (named) reader.expect("=");
    values[key] = readLiteral(reader);
    if (!reader.takes(",") && reader.peek().text !== ")") throw new NotLiteral(reader.peek().line);
  }
  reader.takes(";");
  return { name, values, line };
}

const WORDS: Readonly<Record<string, Literal>> = { True: true, False: false, None: null };

/** Rules nest lists twice. */
const MAX_DEPTH = 20;

function readLiteral(reader: TokenReader, depth = 0): Literal {
  const { kind, text, line } = reader.next();
  if (kind === "number") return Number(text);
  if (kind === "name" && Object.hasOwn(WORDS, text)) return WORDS[text] ?? null;
  if (kind === "string") return stringIn(text, line);
  if (kind !== "mark" || (text !== "[" && text !== "(") || depth > MAX_DEPTH) throw new NotLiteral(line);
  const items: Literal[] = [];
  const end = text === "[" ? "]" : ")";
  while (!reader.takes(end)) {
    items.push(readLiteral(reader, depth + 1));
    if (!reader.takes(",") && reader.peek().text !== end) throw new NotLiteral(reader.peek().line);
  }
  return items;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\n": "" };

function stringIn(token: string, line: number): string {
  const quotes = /^(?:"""|''')/.test(token) ? 3 : 1;
  return token.slice(quotes, -quotes).replaceAll(/\\([\s\S])/g, (_, character: string) => {
    if (/[0-9xuU]/.test(character)) throw new NotLiteral(line);
    return ESCAPES[character] ?? character;
  });
}
