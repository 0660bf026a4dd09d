import type { ShellDifference } from "../model/shell-difference.ts";

/** Thrown by the must-run reader for anything it does not support. */
export class Unprovable extends Error {
  override readonly name = "Unprovable";
}

export function refuse(what: string): never {
  throw new Unprovable(what);
}

export interface PendingDocument {
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
