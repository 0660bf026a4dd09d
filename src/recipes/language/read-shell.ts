import { type Frame, type FrameKind, readsCode, ruleAt, type ValueRule } from "./shell-position.ts";
import { PATH } from "./text-template.ts";

/** Gives the name of the shell variable for `{{name}}` at a position where its value must follow a rule. */
export type ReferTo = (name: string, rule: ValueRule) => string;

interface Heredoc {
  readonly delimiter: string;
  readonly isQuoted: boolean;
  readonly stripsTabs: boolean;
  readonly isCode: boolean;
  /** Which part of the result is the delimiter. */
  readonly part: number;
}

const REFERENCE = new RegExp(String.raw`\{\{(${PATH})\}\}`, "y");
const REFERENCES = new RegExp(String.raw`(\{\{${PATH}\}\})`);
const DELIMITER = /<<(-?)[ \t]*(?:'([^'\n]*)'|"([^"\n]*)"|\\?([^\s;&|<>()'"\\`$]+))/y;
const WORD = /[A-Za-z_][\w-]*/y;
/** Words after which a command begins. */
const OPENERS = new Set(["if", "then", "else", "elif", "while", "until", "do", "in"]);

/** A script in which every `{{name}}` has become a reference to a shell variable, quoted as its position needs. */
export function readShell(source: string, referTo: ReferTo): string {
  return new ShellReader(source, "plain", referTo).read();
}

class ShellReader {
  private at = 0;
  private readonly result: string[] = [];
  private readonly frames: Frame[];
  private heredocs: Heredoc[] = [];
  private readonly source: string;
  private readonly referTo: ReferTo;

  constructor(source: string, kind: FrameKind, referTo: ReferTo) {
    this.source = source;
    this.referTo = referTo;
    this.frames = [newFrame(kind, 0)];
  }

  read(): string {
    while (this.at < this.source.length) {
      REFERENCE.lastIndex = this.at;
      const reference = REFERENCE.exec(this.source);
      if (reference !== null) this.refer(reference[1] ?? "", reference[0].length);
      else this.step();
    }
    return this.result.join("");
  }

  private get frame(): Frame {
    return this.frames.at(-1) ?? newFrame("plain", 0);
  }

  private startsWith(text: string): boolean {
    return this.source.startsWith(text, this.at);
  }

  private copy(count: number): void {
    this.result.push(this.source.slice(this.at, this.at + count));
    this.at += count;
  }

  private push(kind: FrameKind, count: number): void {
    this.copy(count);
    this.frames.push(newFrame(kind, this.at));
  }

  private pop(): void {
    this.copy(1);
    if (this.frames.length > 1) this.frames.pop();
  }

  private refer(name: string, length: number): void {
    const variable = `\${${this.referTo(name, ruleAt(this.source, this.at, this.frames))}}`;
    this.result.push(quotedFor(variable, this.frames));
    this.at += length;
  }

  private step(): void {
    const { kind } = this.frame;
    if (kind === "single") return this.startsWith("'") ? this.pop() : this.copy(1);
    if (this.startsWith("\\")) return this.copy(2);
    if (kind === "ansi") return this.startsWith("'") ? this.pop() : this.copy(1);
    if (this.expansion()) return;
    if (kind === "double") return this.startsWith('"') ? this.pop() : this.copy(1);
    if (kind === "heredoc") return this.copy(1);
    if (kind === "parameter") return this.parameter();
    if (kind === "arithmetic") return this.arithmetic();
    return this.plain();
  }

  /** What `$` and a backtick begin, everywhere but in single quotes. */
  private expansion(): boolean {
    const isUnquoted = !["double", "heredoc"].includes(this.frame.kind);
    if (this.startsWith("$((")) {
      this.push("arithmetic", 3);
      this.frame.depth = 1;
    } else if (this.startsWith("$(")) this.push("plain", 2);
    else if (this.startsWith("${")) this.push("parameter", 2);
    else if (isUnquoted && this.startsWith("$'")) this.push("ansi", 2);
    else if (isUnquoted && this.startsWith('$"')) this.push("double", 2);
    else if (!this.startsWith("`")) return false;
    else if (this.frame.kind === "backtick") this.pop();
    else this.push("backtick", 1);
    return true;
  }

  private parameter(): void {
    if (this.startsWith("}")) return this.pop();
    if (this.startsWith('"')) return this.push("double", 1);
    const isQuoted = ["double", "heredoc"].includes(this.frames.at(-2)?.kind ?? "plain");
    if (this.startsWith("'") && !isQuoted) return this.push("single", 1);
    this.copy(1);
  }

  private arithmetic(): void {
    if (this.startsWith("'")) return this.push("single", 1);
    if (this.startsWith('"')) return this.push("double", 1);
    if (this.startsWith("(")) this.frame.depth++;
    if (this.startsWith(")") && this.frame.depth-- === 0) return this.pop();
    this.copy(1);
  }

  private plain(): void {
    const character = this.source[this.at] ?? "";
    if (character === "'") return this.push("single", 1);
    if (character === '"') return this.push("double", 1);
    if (character === "\n") return this.endLine();
    if (character === "#" && this.isWordStart()) return this.copy(this.lineEnd() - this.at);
    if (character === "<") return this.redirection();
    if (character === "(" || character === ")") return this.parenthesis(character);
    if (character === "[" || character === "]") return this.bracket();
    if (/[;&|{]/.test(character)) {
      this.copy(1);
      return this.beginCommand();
    }
    if (this.isWordStart()) return this.word();
    this.copy(1);
  }

  private isWordStart(): boolean {
    return this.at === this.frame.start || /[\s;&|(){}]/.test(this.source[this.at - 1] ?? "");
  }

  private lineEnd(): number {
    const end = this.source.indexOf("\n", this.at);
    return end === -1 ? this.source.length : end;
  }

  private beginCommand(): void {
    if (this.frame.test === undefined) this.frame.command = this.at;
  }

  private word(): void {
    WORD.lastIndex = this.at;
    const word = WORD.exec(this.source)?.[0];
    if (word === undefined) return this.copy(1);
    this.copy(word.length);
    if (word === "case") this.frame.cases++;
    if (word === "esac" && this.frame.cases > 0) this.frame.cases--;
    if (OPENERS.has(word)) this.beginCommand();
  }

  private bracket(): void {
    if (this.startsWith("[[") && this.isWordStart()) this.frame.test = this.at;
    else if (this.startsWith("]]")) this.frame.test = undefined;
    else return this.copy(1);
    this.copy(2);
  }

  private parenthesis(character: "(" | ")"): void {
    if (this.startsWith("((") && this.isWordStart()) {
      this.push("arithmetic", 2);
      this.frame.depth = 1;
      return;
    }
    const { frame } = this;
    if (character === "(") frame.depth++;
    else if (frame.cases > 0 && frame.depth === 0) {
      // The end of a pattern.
    } else if (frame.depth > 0) frame.depth--;
    else if (frame.kind === "plain" && this.frames.length > 1) return this.pop();
    this.copy(1);
    this.beginCommand();
  }

  private redirection(): void {
    if (this.startsWith("<<<")) return this.copy(3);
    DELIMITER.lastIndex = this.at;
    const match = DELIMITER.exec(this.source);
    if (match === null) return this.copy(1);
    const [whole, dash = "", single, double, bare] = match;
    const isQuoted = bare === undefined || whole.includes("\\");
    this.heredocs.push({
      delimiter: single ?? double ?? bare ?? "",
      isQuoted,
      stripsTabs: dash === "-",
      isCode: readsCode(this.source.slice(this.frame.command, this.at)),
      part: this.result.length,
    });
    this.copy(whole.length);
  }

  private endLine(): void {
    this.copy(1);
    this.beginCommand();
    const waiting = this.heredocs;
    this.heredocs = [];
    for (const heredoc of waiting) this.heredocText(heredoc);
  }

  /** Copies the text of a here-document up to its delimiter. */
  private heredocText(heredoc: Heredoc): void {
    const { delimiter, stripsTabs, isQuoted } = heredoc;
    const begin = this.at;
    let end = begin;
    while (end < this.source.length) {
      const next = this.source.indexOf("\n", end);
      const line = this.source.slice(end, next === -1 ? this.source.length : next);
      if ((stripsTabs ? line.replace(/^\t+/, "") : line) === delimiter) break;
      end = next === -1 ? this.source.length : next + 1;
    }
    const text = this.source.slice(begin, end);
    this.at = end;
    const refer: ReferTo = (name, rule) => this.referTo(name, heredoc.isCode && rule === "any" ? "harmless" : rule);
    if (!isQuoted) this.result.push(new ShellReader(text, "heredoc", refer).read());
    else if (REFERENCES.test(text)) return this.unquoteHeredoc(heredoc, text, refer);
    else this.result.push(text);
  }

  /**
   * A shell expands nothing in a text with a quoted delimiter, so values could only be put in as text, and one that
   * contains the delimiter would end it. Instead the delimiter loses its quotes and everything else gets them.
   */
  private unquoteHeredoc({ part, stripsTabs }: Heredoc, text: string, refer: ReferTo): void {
    const delimiter = freshDelimiter(this.source);
    this.result[part] = `<<${stripsTabs ? "-" : ""}${delimiter}`;
    const escaped = text.split(REFERENCES).map((piece, index) => {
      if (index % 2 === 1) return `\${${refer(piece.slice(2, -2), "any")}}`;
      return piece.replace(/[\\$`]/g, "\\$&");
    });
    this.result.push(...escaped, delimiter);
    this.at = Math.min(this.source.length, this.lineEnd());
  }
}

function newFrame(kind: FrameKind, start: number): Frame {
  return { kind, start, command: start, depth: 0, cases: 0, test: undefined };
}

function freshDelimiter(source: string): string {
  let count = 0;
  while (source.includes(`RECIPE_TEXT_${count}`)) count++;
  return `RECIPE_TEXT_${count}`;
}

/** The reference in the quotes that its position needs, so that it stays one word there. */
function quotedFor(variable: string, frames: readonly Frame[]): string {
  const kind = frames.at(-1)?.kind ?? "plain";
  if (kind === "single") return `'"${variable}"'`;
  if (kind === "ansi") return `'"${variable}"$'`;
  const isInText = (frame: Frame | undefined) => frame?.kind === "double" || frame?.kind === "heredoc";
  if (isInText(frames.at(-1)) || kind === "arithmetic") return variable;
  return kind === "parameter" && isInText(frames.at(-2)) ? variable : `"${variable}"`;
}
