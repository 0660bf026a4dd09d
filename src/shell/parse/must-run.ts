import { isBlank, MustRunReader, readExpandedText, readMustRunWord, refuse, Unprovable } from "./must-run-reader.ts";
import { COMMAND_MARK, WORD_MARK } from "./compare.ts";
import { isSpecialInZsh, type ShellDifference } from "../model/shell-difference.ts";

/** The commands of a script that is simple enough to understand without a full parser, or why it is not. */
export type MustRun =
  | {
      readonly proven: true;
      readonly commands: readonly string[];
      /** Constructs that are proven for bash but may differ in another shell. */
      readonly differences: readonly ShellDifference[];
    }
  | { readonly proven: false; readonly because: string };

/**
 * Reads literal words, quotes, `$'…'`, lists, pipelines, groups, redirections, quoted here documents, plain variables
 * and `$(…)` with equally simple content. With anything else, nothing is proven.
 */
export function commandsThatMustRun(source: string): MustRun {
  const reader = new MustRunReader(source);
  try {
    readList(reader, []);
    return { proven: true, commands: reader.finish(), differences: reader.differences };
  } catch (error) {
    if (error instanceof Unprovable) return { proven: false, because: error.message };
    throw error;
  }
}

const CONTROL_WORDS = new Set(
  "case esac in function select coproc [[ ]] } { if then else elif fi do done while until for".split(" "),
);

/**
 * Reads a list up to one of the `closing` words or brackets, which is consumed and returned. Without any, reads to the
 * end.
 */
function readList(reader: MustRunReader, closing: readonly string[]): string {
  for (let commands = 0; ; commands++) {
    reader.skipLines();
    if (reader.atEnd()) return closing.length === 0 ? "" : refuse(`a missing ${closing[0]}`);
    const end = closing.find((word) => (word === ")" ? reader.peek() === ")" : reader.atWord(word)));
    if (end !== undefined) {
      if (commands === 0) refuse("an empty list");
      reader.take(end);
      return end;
    }
    readPipelines(reader);
    readSeparator(reader, closing.includes(")"));
  }
}

/** Reads one separator between two commands: `;`, `&` or a newline. */
function readSeparator(reader: MustRunReader, bracketed: boolean): void {
  reader.skipBlanks();
  const separated = reader.take(";") || reader.take("&");
  reader.skipBlanks();
  if (separated) {
    if (";&|".includes(reader.peek() || " ")) refuse("an empty command");
    return;
  }
  if (reader.peek() !== "\n" && !reader.atEnd() && !(bracketed && reader.peek() === ")"))
    refuse(`${JSON.stringify(reader.peek())} here`);
}

/** Pipelines joined by `&&`, `||` and `|`. */
function readPipelines(reader: MustRunReader): void {
  for (let piped = false; ;) {
    readPrefixes(reader);
    reader.redirected = { input: false, output: false };
    readCommand(reader);
    reader.skipBlanks();
    const listed = reader.take("&&") || reader.take("||");
    const pipes = !listed && (reader.take("|&") || reader.take("|"));
    // Zsh sends the output both to the file and to the pipe, and reads from both.
    if ((pipes && reader.redirected.output) || (piped && reader.redirected.input))
      reader.differs("a redirection combined with a pipe");
    if (!listed && !pipes) return;
    piped = pipes;
    reader.skipLines();
    if (reader.atEnd() || ";&|)".includes(reader.peek())) refuse("an operator without a command");
  }
}

function readPrefixes(reader: MustRunReader): void {
  for (;;) {
    reader.skipBlanks();
    if (reader.peek() === "!" && isBlank(reader.peek(1))) reader.next();
    else if (/^time[ \t]+[^-\s]/.test(reader.rest(12))) reader.take("time");
    else return;
  }
}

function readCommand(reader: MustRunReader): void {
  if (reader.peek() === "(") {
    if (reader.peek(1) === "(") refuse("arithmetic");
    reader.next();
    reader.deeper(() => readList(reader, [")"]));
    readTrailingRedirects(reader);
  } else if (/^(?:if|while|until|for)\s/.test(reader.rest(8))) {
    reader.deeper(() => readControl(reader));
    readTrailingRedirects(reader);
  } else if (reader.peek() === "{" && isBlank(reader.peek(1))) {
    reader.next();
    reader.deeper(() => readList(reader, ["}"]));
    readTrailingRedirects(reader);
  } else readSimple(reader);
}

function readTrailingRedirects(reader: MustRunReader): void {
  const redirects: string[] = [];
  for (reader.skipBlanks(); ; reader.skipBlanks()) {
    const redirect = readRedirect(reader);
    if (redirect === undefined) break;
    redirects.push(redirect);
  }
  if (redirects.length > 0) reader.commands.push(redirects.join(WORD_MARK) + COMMAND_MARK);
}

function readSimple(reader: MustRunReader): void {
  const assignments: string[] = [];
  const words: string[] = [];
  const redirects: string[] = [];
  for (reader.skipBlanks(); !reader.atCommandEnd(); reader.skipBlanks()) {
    const redirect = readRedirect(reader);
    if (redirect !== undefined) {
      redirects.push(redirect);
      continue;
    }
    const start = reader.position;
    const word = readMustRunWord(reader, substitution);
    const raw = reader.since(start);
    if (words.length === 0 && CONTROL_WORDS.has(raw)) refuse(`the keyword ${raw}`);
    if (words.length === 0 && /^\w+(\[.*\])?\+=|^\w+\[.*\]=/.test(raw)) refuse("an array or appending assignment");
    if (words.length === 0 && /^[A-Za-z_]\w*=/.test(raw)) {
      assignments.push(word);
      noteAssignment(reader);
    } else words.push(word);
  }
  if (assignments.length + words.length + redirects.length === 0) refuse("an empty command");
  reader.commands.push([...assignments, ...words, ...redirects].join(WORD_MARK) + COMMAND_MARK);
}

/** Zsh ties some names to others, and expands more in a value than bash. */
function noteAssignment(reader: MustRunReader): void {
  const [name = "", value = ""] = reader.outline.split(/=(.*)/s);
  if (isSpecialInZsh(name)) reader.differs(`the variable ${name}`);
  if (/^=.|:=|(?:^|:)~(?![/:]|$)/.test(value)) reader.differs("the value of this assignment");
}

function substitution(reader: MustRunReader): void {
  reader.deeper(() => readList(reader, [")"]));
}

/** `if`, `while`, `until` and `for … in …`, whose parts are lists. */
function readControl(reader: MustRunReader): void {
  if (reader.take("if")) {
    for (let end = "elif"; end === "elif";) {
      readList(reader, ["then"]);
      end = readList(reader, ["elif", "else", "fi"]);
      if (end === "else") readList(reader, ["fi"]);
    }
    return;
  }
  if (reader.take("while") || reader.take("until")) readList(reader, ["do"]);
  else {
    const head = /^for[ \t]+[A-Za-z_]\w*[ \t]+in(?=[ \t])/.exec(reader.rest(100))?.[0] ?? refuse("this kind of loop");
    reader.take(head);
    const variable = head.split(/[ \t]+/)[1] ?? "";
    if (isSpecialInZsh(variable)) reader.differs(`the variable ${variable}`);
    for (reader.skipBlanks(); !reader.atCommandEnd(); reader.skipBlanks()) readMustRunWord(reader, substitution);
    if (!reader.take(";") && reader.peek() !== "\n") refuse("this kind of loop");
    reader.skipLines();
    if (!reader.atWord("do")) refuse("this kind of loop");
    reader.take("do");
  }
  readList(reader, ["done"]);
}

const REDIRECT = /^\d*(?:&>>|&>|<<<|<<-|<<|>>|>\||<>|>&|<&|>|<)/;

/** Reads a redirection as its comparison key; undefined if there is none here. */
function readRedirect(reader: MustRunReader): string | undefined {
  const found = REDIRECT.exec(reader.rest(12))?.[0];
  if (found === undefined) return undefined;
  const operator = found.replace(/^\d+/, "");
  if ((operator === "<" || operator === ">") && reader.peek(found.length) === "(")
    return found === operator ? undefined : refuse("a descriptor");
  reader.take(found);
  noteRedirect(found, operator, reader);
  reader.skipBlanks();
  if (reader.atCommandEnd()) refuse("a redirection without a target");
  if (operator !== "<<" && operator !== "<<-") return operator + readTarget(operator, reader);
  return `<<${readDelimiter(operator, reader)}`;
}

/** Reads the delimiter of a here document, and expects its body after the line. */
function readDelimiter(operator: string, reader: MustRunReader): string {
  const start = reader.position;
  readMustRunWord(reader, () => refuse("a substitution as a delimiter"));
  const raw = reader.since(start);
  const quoted = /^'([^']*)'$|^"([^"\\$`]*)"$/.exec(raw);
  if (quoted === null && !/^[\w.-]+$/.test(raw)) refuse("this here-document delimiter");
  const document = {
    delimiter: quoted?.[1] ?? quoted?.[2] ?? raw,
    expand: quoted === null ? (body: string) => reader.within(body, readDocumentText) : undefined,
    tabs: operator === "<<-",
    body: "",
  };
  reader.documents.push(document);
  return reader.promise(document);
}

const readDocumentText = (reader: MustRunReader) => readExpandedText(reader, substitution, "");

function noteRedirect(found: string, operator: string, reader: MustRunReader): void {
  if (operator.startsWith("&>")) reader.differs(operator, "sh");
  if (/^\d\d/.test(found)) reader.differs(found, "both");
  if (/^1?&?>/.test(found)) reader.redirected.output = true;
  if (/^0?</.test(found)) reader.redirected.input = true;
  if (reader.peek() === "!") reader.differs(`${operator}!`);
}

function readTarget(operator: string, reader: MustRunReader): string {
  const target = readMustRunWord(reader, substitution);
  if (/[*{]/.test(reader.outline)) reader.differs("a pattern as the target of a redirection", "both");
  // In zsh this is a numeric glob pattern.
  if (operator === "<" && /^\d*-\d*$/.test(reader.outline) && reader.peek() === ">")
    reader.differs(`<${reader.outline}>`);
  return target;
}
