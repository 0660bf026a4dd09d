/** The arguments of the functions that a rules file may call, in their order. */
const FUNCTIONS: Readonly<Record<string, readonly string[]>> = {
  prefix_rule: ["pattern", "decision", "match", "not_match", "justification"],
  host_executable: ["name", "paths"],
  network_rule: ["host", "protocol", "decision", "justification"],
};

/** One call in a rules file: its name, its named arguments, and the line it starts on. */
export interface RuleCall {
  readonly name: string;
  readonly values: Readonly<Record<string, Literal>>;
  readonly line: number;
}

export type Literal = string | number | boolean | null | readonly Literal[];

/** A statement that is not a plain call with literal arguments. */
interface RefusedStatement {
  readonly line: number;
  readonly text: string;
  /** Nothing in it says that it only allows. */
  readonly mayRestrict: boolean;
}

/**
 * Reads one of Codex's rules files. They are programs in Starlark; only what Codex itself writes is read: calls with
 * literal arguments. Any other statement is refused. One that gives a function another meaning refuses the whole file.
 */
export function readRulesFile(text: string): {
  readonly calls: readonly RuleCall[];
  readonly refused: readonly RefusedStatement[];
} {
  const calls: RuleCall[] = [];
  const refused: RefusedStatement[] = [];
  const lines = text.split("\n");
  for (const tokens of statementsIn(tokenize(text))) {
    // A text by itself says what the file is for.
    if (tokens.every(({ kind }) => kind === "string")) continue;
    const reader = new TokenReader(tokens);
    const found: RuleCall[] = [];
    try {
      while (reader.peek().kind !== "end") found.push(readCall(reader));
      calls.push(...found);
    } catch (error) {
      if (!(error instanceof NotLiteral)) throw error;
      const statement = { line: error.line, text: (lines[error.line - 1] ?? "").trim() };
      if (redefines(tokens)) {
        const all = [...calls.map(({ name, line }) => ({ line, text: `${name}(…)` })), statement];
        return { calls: [], refused: all.map((each) => ({ ...each, mayRestrict: true })) };
      }
      refused.push({ ...statement, mayRestrict: mayRestrict(tokens) });
    }
  }
  return { calls, refused };
}

/** It makes rules, and not each of them is marked with the word "allow". */
function mayRestrict(tokens: readonly Token[]): boolean {
  const count = (name: string) => tokens.filter(({ kind, text }) => kind === "name" && text === name).length;
  const allowed = tokens.filter(
    ({ text }, index) =>
      text === "decision" && tokens[index + 1]?.text === "=" && /^["']allow["']$/.test(tokens[index + 2]?.text ?? ""),
  );
  return count("prefix_rule") + count("network_rule") !== allowed.length || count("decision") !== allowed.length;
}

/** From one token at the start of a line, outside brackets, to the next. */
function statementsIn(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const statements: Token[][] = [];
  let depth = 0;
  for (const token of tokens) {
    if (token.kind === "end") break;
    const last = statements.at(-1);
    if (last === undefined || (depth <= 0 && token.column === 0)) statements.push([token]);
    else last.push(token);
    if (/^[([{]$/.test(token.text)) depth++;
    if (/^[)\]}]$/.test(token.text)) depth--;
  }
  return statements;
}

function redefines(tokens: readonly Token[]): boolean {
  return tokens.some(
    ({ kind, text }, index) =>
      kind === "name" &&
      Object.hasOwn(FUNCTIONS, text) &&
      (tokens[index + 1]?.text !== "(" || tokens[index - 1]?.text === "def"),
  );
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
  readonly column: number;
}

const TOKEN =
  /(?<blank>[ \t\r\n]+|\\\n|#[^\n]*)|(?<string>"""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*')|(?<name>[A-Za-z_]\w*)|(?<number>\d+)|(?<mark>[()[\],=;])|(?<strange>[\s\S])/gy;

function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let line = 1;
  for (const match of text.matchAll(TOKEN)) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined) ?? ["strange"];
    const column = match.index - text.lastIndexOf("\n", match.index - 1) - 1;
    if (kind !== "blank") tokens.push({ kind: kindOf(kind), text: match[0], line, column });
    line += match[0].split("\n").length - 1;
  }
  return [...tokens, { kind: "end", text: "", line, column: 0 }];
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
    return this.#tokens[this.#at + ahead] ?? { kind: "end", text: "", line: this.#tokens.at(-1)?.line ?? 1, column: 0 };
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

function readCall(reader: TokenReader): RuleCall {
  const { kind, text: name, line } = reader.next();
  const names = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
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
