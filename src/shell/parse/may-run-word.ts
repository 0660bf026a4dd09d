import { forEachChild, type ParsedScript, type SyntaxNode, type Word, type WordPart } from "unbash";
import type { WordPiece, RawWord, ShellNode } from "../model/script.ts";

/** The context passed down while reading a script. */
export interface MayRunContext {
  readonly source: string;
  readonly errors: string[];
  readonly script: (script: ParsedScript, depth: number) => readonly ShellNode[];
  readonly depth: number;
}

/** A parsed word as pieces. A word without parts is plain text with its escapes already removed. */
export function readWord(word: Word, context: MayRunContext): RawWord {
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
