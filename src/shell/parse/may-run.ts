import {
  type Command,
  forEachChild,
  type HereDoc,
  parse,
  type ParsedScript,
  type Redirection,
  type SyntaxNode,
  type Word,
  type WordPart,
} from "unbash";
import type { RawWord, ShellAssignment, ShellCommand, ShellNode, ShellRedirect, WordPiece } from "../model/script.ts";

/** The full parser's result: every command anywhere, and whatever it could not parse. */
interface MayRun {
  readonly nodes: readonly ShellNode[];
  readonly errors: readonly string[];
}

const MAX_DEPTH = 40;

/**
 * Finds every command of `source`, over-approximating. Includes control flow, functions, substitutions and here
 * documents.
 */
export function commandsThatMayRun(source: string): MayRun {
  const plain = plainCommand(source);
  return plain === undefined ? parseFully(source) : { nodes: [plain], errors: [] };
}

/** Parses with the full parser only. */
export function parseFully(source: string): MayRun {
  const errors: string[] = [];
  const readScript = (script: ParsedScript, depth: number, text: string): readonly ShellNode[] => {
    for (const error of script.errors ?? []) errors.push(error.message);
    if (depth > MAX_DEPTH) {
      errors.push("substitutions are nested too deeply");
      return [];
    }
    const own = script.source ?? text;
    const context: MayRunContext = {
      source: own,
      errors,
      depth,
      script: (inner, innerDepth) => readScript(inner, innerDepth, own),
    };
    return script.commands.map((statement) => readNode(statement, context));
  };
  return { nodes: readScript(parse(source), 0, source), errors };
}

function readNode(node: SyntaxNode, context: MayRunContext): ShellNode {
  switch (node.type) {
    case "Statement":
      return node.background === true
        ? list("subshell", [readNode(node.command, context)])
        : readNode(node.command, context);
    case "AndOr":
      return list(node.operators.includes("||") ? "either" : "chain", readAll(node.commands, context));
    case "Pipeline":
      return list(node.commands.length === 1 ? "sequence" : "pipeline", readAll(node.commands, context));
    case "Command":
      return readCommand(node, context);
    case "Subshell":
      return list("subshell", readAll(node.body.commands, context));
    case "BraceGroup":
      return list("sequence", readAll(node.body.commands, context));
    case "CompoundList":
      return list("sequence", readAll(node.commands, context));
    case "Redirected":
      return list("sequence", [readNode(node.command, context), redirectsOnly(node.redirects, context)]);
    default:
      return readControl(node, context);
  }
}

function readControl(node: SyntaxNode, context: MayRunContext): ShellNode {
  switch (node.type) {
    case "While":
      return list("loop", [...readAll(node.clause.commands, context), ...readAll(node.body.commands, context)]);
    case "For":
    case "Select": {
      const words = (node.wordlist ?? []).map((word) => readWord(word, context));
      return { ...list("loop", readAll(node.body.commands, context)), name: node.name.value, words };
    }
    case "Coproc":
      return list("sequence", [
        descriptors(node.name?.value ?? "COPROC"),
        list("subshell", [readNode(node.body, context)]),
      ]);
    case "Function":
      return { ...list("function", children(node, context)), name: node.name.value };
    case "TestCommand":
      return list("block", [testCommand(node, context), ...children(node, context)]);
    default:
      return list("block", children(node, context));
  }
}

/** A coprocess stores its descriptors in a variable. */
function descriptors(name: string): ShellCommand {
  const value: RawWord = { pieces: [{ kind: "number" }] };
  return { kind: "command", assignments: [{ name, value }], words: [], redirects: [], source: name };
}

function readAll(nodes: readonly SyntaxNode[], context: MayRunContext): readonly ShellNode[] {
  return nodes.map((node) => readNode(node, context));
}

function redirectsOnly(redirects: readonly Redirection[], context: MayRunContext): ShellCommand {
  return {
    kind: "command",
    assignments: [],
    words: [],
    redirects: redirects.map((redirect) => readRedirect(redirect, context)),
    source: "",
  };
}

/** Everything below a node that has no case here, so that no command is missed. */
function children(node: SyntaxNode, context: MayRunContext): readonly ShellNode[] {
  const found: ShellNode[] = [];
  forEachChild(node, (child) => {
    if (child.type === "Word") {
      const words = [readWord(child, context)];
      if (words.some((word) => word.pieces.some((piece) => piece.kind === "script" || piece.kind === "unknown")))
        found.push({ ...list("block", []), words });
    } else if (child.type === "Script") found.push(...context.script(child, context.depth + 1));
    else found.push(readNode(child, context));
  });
  return found;
}

function list(kind: Exclude<ShellNode["kind"], "command">, nodes: readonly ShellNode[]) {
  return { kind, nodes } as const;
}

function readCommand(node: Command, context: MayRunContext): ShellCommand {
  const assignments: ShellAssignment[] = [];
  for (const item of node.prefix) if (item.type === "Assignment") assignments.push(readAssignment(item, context));
  const words = node.name === undefined ? [] : [readWord(node.name, context)];
  for (const argument of node.args) {
    if (argument.type === "Word") words.push(readWord(argument, context));
    else {
      const { name, value } = readAssignment(argument, context);
      words.push({ pieces: [{ kind: "text", text: `${name}=`, quoted: true }, ...value.pieces] });
    }
  }
  const redirects = node.redirects.map((redirect) => readRedirect(redirect, context));
  return { kind: "command", assignments, words, redirects, source: context.source.slice(node.pos, node.end) };
}

function readAssignment(node: Extract<SyntaxNode, { type: "Assignment" }>, context: MayRunContext): ShellAssignment {
  const index = node.index === undefined ? [] : readWord(node.index, context).pieces;
  const plain = node.append === true || node.index !== undefined || node.value.type === "ArrayValue";
  const pieces =
    node.value.type === "Word"
      ? readWord(node.value, context).pieces
      : node.value.elements.flatMap((word) => readWord(word, context).pieces);
  if (!plain) return { name: node.name, value: { pieces } };
  if (node.append === true && node.index === undefined && node.value.type === "Word")
    return { name: node.name, value: { pieces: [{ kind: "variable", name: node.name, quoted: true }, ...pieces] } };
  const nodes = [...index, ...pieces].flatMap((piece) =>
    piece.kind === "script" || piece.kind === "unknown" ? piece.nodes : [],
  );
  return { name: node.name, value: { pieces: [{ kind: "unknown", because: "an array or an appended value", nodes }] } };
}

function readRedirect(node: Redirection, context: MayRunContext): ShellRedirect {
  if (node.type === "HereDoc") {
    if (node.closing === undefined) context.errors.push("a here document has no end");
    return { operator: "<<", target: readDocument(node, context) };
  }
  if (node.target === undefined) {
    context.errors.push("a redirection has no target");
    return { operator: node.operator, target: { pieces: [] } };
  }
  const target = readWord(node.target, context);
  const { descriptor } = node;
  if (descriptor?.type === "FileDescriptorVariable")
    return {
      operator: node.operator,
      target: { pieces: [...target.pieces, { kind: "unknown", because: "a named descriptor", nodes: [] }] },
      variable: descriptor.name,
    };
  return { operator: node.operator, target, ...(descriptor === undefined ? {} : { descriptor: descriptor.value }) };
}

function readDocument({ body, delimiter, operator }: HereDoc, context: MayRunContext): RawWord {
  const { text, parts, pos, end } = body;
  const { pieces }: RawWord =
    delimiter?.quoted === true || parts === undefined
      ? { pieces: [{ kind: "text", text, quoted: true }] }
      : readWord({ type: "Word", text, value: text, pos, end, parts }, context);
  if (operator === "<<") return { pieces };
  // `<<-` drops the tabs at the start of each line.
  const withoutTabs = (piece: string, isFirst: boolean) => piece.replace(isFirst ? /(?<=^|\n)\t+/g : /(?<=\n)\t+/g, "");
  return {
    pieces: pieces.map((piece, index) =>
      piece.kind === "text" ? { ...piece, text: withoutTabs(piece.text, index === 0) } : piece,
    ),
  };
}

/** `[[ … ]]` as a command, so that rules can name it. Its words are judged as children of the block. */
function testCommand(node: SyntaxNode, context: MayRunContext): ShellCommand {
  const source = context.source.slice(node.pos, node.end);
  return {
    kind: "command",
    assignments: [],
    words: [{ pieces: [{ kind: "text", text: "[[", quoted: false }] }],
    redirects: [],
    source,
  };
}

/** The context passed down while reading a script. */
interface MayRunContext {
  readonly source: string;
  readonly errors: string[];
  readonly script: (script: ParsedScript, depth: number) => readonly ShellNode[];
  readonly depth: number;
}

/** A parsed word as pieces. A word without parts is plain text with its escapes already removed. */
function readWord(word: Word, context: MayRunContext): RawWord {
  const { parts } = word;
  if (parts === undefined)
    return {
      pieces: [{ kind: "text", text: word.value, quoted: word.text !== word.value && !word.text.startsWith("~") }],
    };
  return { pieces: parts.flatMap((part) => readPart(part, { context, quoted: false })) };
}

interface PartPlace {
  readonly context: MayRunContext;
  readonly quoted: boolean;
}

function readPart(part: WordPart, place: PartPlace): readonly WordPiece[] {
  const { quoted } = place;
  switch (part.type) {
    case "Literal":
      return [
        { kind: "text", text: part.value, quoted: quoted || (part.text !== part.value && !part.text.startsWith("~")) },
      ];
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [{ kind: "text", text: part.value, quoted: true }];
    case "DoubleQuoted":
    case "LocaleString": {
      const inner = part.parts.flatMap((child) => readPart(child, { ...place, quoted: true }));
      return inner.length === 0 ? [{ kind: "text", text: "", quoted: true }] : inner;
    }
    case "Glob":
      return [{ kind: "glob", text: part.text }];
    default:
      return [readExpansion(part, place)];
  }
}

type Expansion = Exclude<
  WordPart,
  { type: "Literal" | "SingleQuoted" | "AnsiCQuoted" | "DoubleQuoted" | "LocaleString" | "Glob" }
>;

function readExpansion(part: Expansion, { context, quoted }: PartPlace): WordPiece {
  switch (part.type) {
    case "SimpleExpansion":
      return readVariable(part.text.slice(1), quoted);
    case "ParameterExpansion":
      return readParameter(part, { context, quoted });
    case "CommandExpansion":
    case "ProcessSubstitution": {
      const nodes = part.script === undefined ? [] : context.script(part.script, context.depth + 1);
      return { kind: "script", nodes, quoted, process: part.type === "ProcessSubstitution" };
    }
    case "ArithmeticExpansion": {
      const nodes = scriptsBelow(part, context);
      return nodes.length === 0 && !/[[\]=]/.test(part.text)
        ? { kind: "number" }
        : { kind: "unknown", because: "arithmetic", nodes };
    }
    case "BraceExpansion": {
      const nodes = scriptsBelow(part, context);
      return nodes.length === 0
        ? { kind: "braces", text: part.text }
        : { kind: "unknown", because: "a brace expansion", nodes };
    }
    case "ExtendedGlob":
      return { kind: "unknown", because: `the pattern ${part.text}`, nodes: scriptsBelow(part, context) };
  }
}

function readParameter(
  part: Extract<WordPart, { type: "ParameterExpansion" }>,
  { context, quoted }: PartPlace,
): WordPiece {
  const plain = part.operation === undefined && part.index === undefined;
  if (plain && part.prefix === "#") return { kind: "number" };
  if (plain && part.prefix === undefined) return readVariable(part.parameter, quoted);
  const { operation } = part;
  if (operation?.type === "Default" && part.index === undefined && part.prefix === undefined) {
    const { operator, operand } = operation;
    const text = operand?.text ?? "";
    if (/^:?-$/.test(operator) && /^[\w./:@%+=,-]*$/.test(text))
      return { kind: "default", name: part.parameter, operator, text, quoted };
  }
  const nodes = scriptsBelow(part, context);
  const likely = part.operation?.type === "Default" ? [part.operation.operand.value] : [];
  return { kind: "unknown", because: `the expansion ${part.text}`, nodes, likely };
}

function readVariable(name: string, quoted: boolean): WordPiece {
  if (/^[?$!#]$/.test(name)) return { kind: "number" };
  // Quoted or not, `$@` expands to one word per parameter.
  return { kind: "variable", name, quoted: quoted && name !== "@" };
}

/** Scripts anywhere below a node. */
function scriptsBelow(node: SyntaxNode, context: MayRunContext): readonly ShellNode[] {
  const found: ShellNode[] = [];
  const visit = (child: SyntaxNode): void => {
    if (child.type === "Script") found.push(...context.script(child, context.depth + 1));
    else forEachChild(child, visit);
  };
  forEachChild(node, visit);
  return found;
}

/** Words without shell metacharacters, separated by single spaces. The first must not be an assignment. */
const PLAIN = /^[\w./:@%+,-]+(?: [\w./:@%+,=-]+)*$/;

/** Plain first words that are shell keywords. */
const GRAMMAR = new Set(
  "if then else elif fi do done case esac while until for in function select coproc time".split(" "),
);

/**
 * Parses a command so simple that there is only one way to read it; otherwise undefined. Agrees with the full parser (a
 * test compares them); not loading that saves a hook 5 ms.
 */
export function plainCommand(source: string): ShellCommand | undefined {
  if (!PLAIN.test(source)) return undefined;
  const words = source.split(" ");
  if (GRAMMAR.has(words[0] ?? "")) return undefined;
  return {
    kind: "command",
    assignments: [],
    words: words.map((text) => ({ pieces: [{ kind: "text", text, quoted: false }] })),
    redirects: [],
    source,
  };
}
