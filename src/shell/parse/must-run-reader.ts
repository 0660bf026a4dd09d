import type { ShellDifference } from "../model/shell-difference.ts";
import { BRACES_MARK, GLOB_MARK, NUMBER_MARK, SCRIPT_MARK, VARIABLE_MARK } from "./compare.ts";

type ReadScript = (reader: MustRunReader) => void;

// Characters that a person does not see, or sees as a blank where the shell does not.
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff9-\ufffb\udb40]|[\ufe00-\ufe0f]/;

/** Reads one word as its comparison key. */
export function readMustRunWord(reader: MustRunReader, readScript: ReadScript): string {
  const start = reader.position;
  let key = "";
  let outline = "";
  for (;;) {
    const character = reader.peek();
    if (character === "" || " \t\n;|&)".includes(character)) break;
    if ((character === "<" || character === ">") && !(reader.position === start && reader.peek(1) === "(")) break;
    key += readPiece(reader, readScript);
    outline += OUTLINED[character] ?? character;
  }
  if (reader.position === start) refuse(`${JSON.stringify(reader.peek())} here`);
  noteWord(outline, reader);
  return key;
}

const QUOTED = "\u0001";

/** The outline mark for a piece that starts with this character. */
const OUTLINED: Readonly<Record<string, string>> = {
  "'": QUOTED,
  '"': QUOTED,
  "\\": QUOTED,
  $: QUOTED,
  "<": QUOTED,
  ">": QUOTED,
  "?": "*",
  "[": "*",
};

/** A git revision. No protected file has a name that zsh could expand it to. */
const REVISIONS = /^(?:(?:HEAD|[A-Z]+_HEAD|@)(?:[~^]\d*)*(?:\.{2,3}|:[\w./-]*$|$)){1,2}$/;

/**
 * Notes unquoted characters that zsh expands. `^`, `#` and `~` inside a word count with EXTENDED_GLOB, which many users
 * set.
 */
function noteWord(outline: string, reader: MustRunReader): void {
  reader.outline = outline;
  if (/^=./.test(outline)) reader.differs("a word that begins with =");
  if (/^~(?!\/|$)/.test(outline)) reader.differs("~name", "both");
  if (/[=:]~/.test(outline)) reader.differs("~ behind = or :", "both");
  if (/[\^#]|.~/.test(outline) && !REVISIONS.test(outline)) reader.differs("^, # or ~ inside a word");
  if (outline === "{" || outline === "}") reader.differs(`a lone ${outline}`);
}

function readPiece(reader: MustRunReader, readScript: ReadScript): string {
  const character = reader.next();
  if (character === "<" || character === ">") {
    reader.next();
    readScript(reader);
    return SCRIPT_MARK;
  }
  return readPlainPiece(character, reader, readScript);
}

function readPlainPiece(character: string, reader: MustRunReader, readScript: ReadScript): string {
  switch (character) {
    case "'":
      return reader.until("'");
    case '"':
      return readExpandedText(reader, readScript, '"');
    case "\\":
      return reader.peek() === "\n" ? (reader.next(), "") : reader.next() || refuse("a backslash at the end");
    case "$":
      return reader.take("'") ? readAnsi(reader) : readDollar(reader, readScript);
    case "`":
      return refuse("backquotes");
    case "(":
      return refuse("a bracket inside a word");
    case "*":
    case "?":
      return GLOB_MARK + character;
    case "[":
      return readBracket(reader);
    case "{":
      return readBraces(reader);
    default:
      return UNSEEN.test(character) ? refuse("an invisible character outside quotes") : character;
  }
}

function readBraces(reader: MustRunReader): string {
  const plain = /^(?:[\w./@:+-]*,[\w./@:+,-]*|-?\d{1,4}\.\.-?\d{1,4})\}/.exec(reader.rest(200))?.[0];
  if (plain !== undefined) {
    reader.take(plain);
    reader.differs("braces", "sh");
    return `${BRACES_MARK}{${plain}`;
  }
  return /^[^\s}'"]*(?:,|\.\.)/.test(reader.rest(200)) ? refuse("a brace expansion") : "{";
}

function readBracket(reader: MustRunReader): string {
  const inside = /^!?\]?[^\]\s'"\\$`;|&()<>[]*\]/.exec(reader.rest(100))?.[0];
  if (inside === undefined) return "[";
  reader.take(inside);
  if (inside.startsWith("^")) reader.differs("[^…]", "sh");
  return `${GLOB_MARK}[${inside}`;
}

/** Reads text in which only `$` and backslashes count, up to the closing quote or the end. */
export function readExpandedText(reader: MustRunReader, readScript: ReadScript, end: '"' | ""): string {
  let key = "";
  for (;;) {
    const character = reader.next();
    if (character === end) return key;
    if (character === "") refuse('a missing "');
    if (character === "`") refuse("backquotes");
    if (character === "$") key += readDollar(reader, readScript);
    else if (character !== "\\") key += character;
    else if (reader.peek() === "\n") reader.next();
    else key += `$\`\\${end}`.includes(reader.peek()) ? reader.next() : "\\";
  }
}

function readDollar(reader: MustRunReader, readScript: ReadScript): string {
  if (reader.peek() === "(") {
    const sum = /^\(\([\d\s+*/%()-]*\)\)/.exec(reader.rest(80))?.[0];
    if (sum !== undefined) {
      reader.take(sum);
      return NUMBER_MARK;
    }
    if (reader.peek(1) === "(") refuse("arithmetic");
    reader.next();
    readScript(reader);
    return SCRIPT_MARK;
  }
  const fallback = /^\{([A-Za-z_]\w*:?-[\w./:@%+=,-]*)\}/.exec(reader.rest(200));
  if (fallback !== null) {
    reader.take(fallback[0]);
    return VARIABLE_MARK + (fallback[1] ?? "") + VARIABLE_MARK;
  }
  const simple = /^(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\}|(\{#[A-Za-z_]\w*\}|[?$!#]))/.exec(reader.rest(120));
  if (simple !== null) {
    reader.take(simple[0]);
    const name = simple[1] ?? simple[2];
    if (!simple[0].startsWith("{") && isContinuedInZsh(simple[0], reader.rest(2)))
      reader.differs(`$${simple[0]}${reader.rest(2)}`);
    return name === undefined ? NUMBER_MARK : VARIABLE_MARK + name + VARIABLE_MARK;
  }
  if (reader.peek() === '"') refuse("a translated string");
  return reader.peek() === "" || /[\s"'/%,.:)]/.test(reader.peek()) ? "$" : refuse("this expansion");
}

/** A subscript or modifier after `$name`, or a name after `$#`. */
const isContinuedInZsh = (taken: string, next: string) =>
  /^\[|^:[A-Za-z&]/.test(next) || (taken === "#" && /^[\w@*?$!#{-]/.test(next));

const ANSI: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\u0007",
  b: "\b",
  e: "\u001b",
  E: "\u001b",
  f: "\f",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "?": "?",
};

/** The rest of `$'…'`, decoded. */
function readAnsi(reader: MustRunReader): string {
  reader.differs("$'…'", "both");
  let text = "";
  for (;;) {
    const character = reader.next();
    if (character === "'") return text;
    if (character === "") refuse("a missing '");
    if (character !== "\\") {
      text += character;
      continue;
    }
    const code = /^(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|([0-7]{1,3}))/.exec(reader.rest(6));
    if (code !== null) {
      reader.take(code[0]);
      const value =
        code[3] === undefined ? Number.parseInt(code[1] ?? code[2] ?? "0", 16) : Number.parseInt(code[3], 8);
      text += value === 0 || value > 127 ? refuse("a coded character") : String.fromCharCode(value);
    } else text += ANSI[reader.next()] ?? refuse("an unknown escape");
  }
}

/** Thrown by the must-run reader for anything it does not support. */
export class Unprovable extends Error {
  override readonly name = "Unprovable";
}

export function refuse(what: string): never {
  throw new Unprovable(what);
}

interface PendingDocument {
  readonly delimiter: string;
  /** The key of the body, with what the shell expands in it. Undefined if the delimiter is quoted, so nothing is. */
  readonly expand: ((body: string) => string) | undefined;
  readonly tabs: boolean;
  body: string;
}

const MAX_DEPTH = 8;

export function isBlank(character: string): boolean {
  return character === " " || character === "\t" || character === "\n";
}

/** The position in the text, the commands found so far, and the here documents whose bodies are still to come. */
export class MustRunReader {
  position = 0;
  readonly found: string[] = [];
  readonly documents: PendingDocument[] = [];
  /** Constructs that shells other than bash would read differently. */
  readonly differences: ShellDifference[] = [];
  /** Whether the current command's output or input is redirected. */
  redirected = { input: false, output: false };
  /** The last word: unquoted characters unchanged, and one mark per quoted or expanded piece. */
  outline = "";
  private readonly source: string;
  private readonly promised: PendingDocument[] = [];
  private depth: number;

  constructor(source: string, depth = 0) {
    this.source = source;
    this.depth = depth;
  }

  /** Keys of the commands, with here-document bodies filled in. */
  get commands(): string[] {
    return this.found;
  }

  finish(): readonly string[] {
    return this.found.map((command) =>
      command.replace(/\u0005(\d+);/g, (_, index: string) => this.promised[Number(index)]?.body ?? ""),
    );
  }

  promise(document: PendingDocument): string {
    return `\u0005${this.promised.push(document) - 1};`;
  }

  peek(ahead = 0): string {
    return this.source[this.position + ahead] ?? "";
  }

  next(): string {
    return this.source[this.position++] ?? "";
  }

  rest(length: number): string {
    return this.source.slice(this.position, this.position + length);
  }

  since(start: number): string {
    return this.source.slice(start, this.position);
  }

  differs(what: string, where: ShellDifference["in"] = "zsh"): void {
    this.differences.push({ in: where, what });
  }

  atEnd(): boolean {
    return this.position >= this.source.length;
  }

  /** True if the next word is exactly this one. */
  atWord(text: string): boolean {
    return this.source.startsWith(text, this.position) && /^[\s;&|)]?$/.test(this.peek(text.length));
  }

  take(text: string): boolean {
    if (!this.source.startsWith(text, this.position)) return false;
    this.position += text.length;
    return true;
  }

  /** Consumes and returns the text up to `end`. */
  until(end: string): string {
    const stop = this.source.indexOf(end, this.position);
    if (stop === -1) refuse(`a missing ${end}`);
    const text = this.source.slice(this.position, stop);
    this.position = stop + end.length;
    return text;
  }

  atCommandEnd(): boolean {
    const character = this.peek();
    if (character === "&") return this.peek(1) !== ">";
    return character === "" || "\n;|)".includes(character);
  }

  skipBlanks(): void {
    for (;;) {
      if (this.peek() === " " || this.peek() === "\t") this.position++;
      else if (this.peek() === "\\" && this.peek(1) === "\n") this.position += 2;
      else if (this.peek() === "#") this.skipComment();
      else return;
    }
  }

  /** Skips blanks, comments and newlines. The bodies of pending here documents start at a newline. */
  skipLines(): void {
    for (this.skipBlanks(); this.peek() === "\n"; this.skipBlanks()) {
      this.position++;
      for (const document of this.documents.splice(0)) this.readDocument(document);
    }
    if (this.atEnd() && this.documents.length > 0) refuse("a here document without an end");
  }

  deeper(read: () => unknown): void {
    if (++this.depth > MAX_DEPTH) refuse("nesting this deep");
    const waiting = this.documents.splice(0);
    read();
    if (this.documents.length > 0) refuse("a here document that crosses a bracket");
    this.documents.push(...waiting);
    this.depth--;
  }

  /** Reads a text within this one, such as the body of a here document. What it runs and differs in counts here. */
  within(text: string, read: (inner: MustRunReader) => string): string {
    if (this.depth + 1 > MAX_DEPTH) refuse("nesting this deep");
    const inner = new MustRunReader(text, this.depth + 1);
    const key = read(inner);
    this.found.push(...inner.finish());
    this.differences.push(...inner.differences);
    return key;
  }

  private skipComment(): void {
    const end = this.source.indexOf("\n", this.position);
    this.position = end === -1 ? this.source.length : end;
  }

  private readDocument(document: PendingDocument): void {
    const lines: string[] = [];
    for (;;) {
      if (this.atEnd()) refuse("a here document without an end");
      const end = this.source.indexOf("\n", this.position);
      const stop = end === -1 ? this.source.length : end;
      const raw = this.source.slice(this.position, stop);
      const line = document.tabs ? raw.replace(/^\t+/, "") : raw;
      this.position = stop;
      if (line === document.delimiter) break;
      // The shell joins the next line to it before it looks for the delimiter.
      if (document.expand !== undefined && line.endsWith("\\")) refuse("a joined line in a here document");
      lines.push(`${line}\n`);
      this.position = Math.min(stop + 1, this.source.length);
    }
    const body = lines.join("");
    document.body = document.expand === undefined ? body : document.expand(body);
  }
}
