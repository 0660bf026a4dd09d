import {
  forEachChild,
  parse,
  type Command,
  type HereDoc,
  type ParsedScript,
  type Redirection,
  type SyntaxNode,
} from "unbash";
import { type MayRunContext, readWord } from "./may-run-word.ts";
import { plainCommand } from "./plain-command.ts";
import type { RawWord, ShellAssignment, ShellCommand, ShellNode, ShellRedirect } from "../model/script.ts";

/** The full parser's result: every command anywhere, and whatever it could not parse. */
export interface MayRun {
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
