import { forEachChild, type SyntaxNode, type Word, type WordPart } from "unbash";
import type { DangerContext } from "./danger.ts";
import type { Piece, RawWord, ShellNode } from "./script.ts";

/** A parsed word as pieces. A word without parts is plain text whose escapes are already removed. */
export function readWord(word: Word, context: DangerContext): RawWord {
  const { parts } = word;
  if (parts === undefined) return { pieces: [{ kind: "text", text: word.value, quoted: word.text !== word.value && !word.text.startsWith("~") }] };
  return { pieces: parts.flatMap((part) => readPart(part, { context, quoted: false })) };
}

interface PartPlace {
  readonly context: DangerContext;
  readonly quoted: boolean;
}

function readPart(part: WordPart, place: PartPlace): readonly Piece[] {
  const { quoted } = place;
  switch (part.type) {
    case "Literal":
      return [{ kind: "text", text: part.value, quoted: quoted || (part.text !== part.value && !part.text.startsWith("~")) }];
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
    case "SimpleExpansion":
      return [readVariable(part.text.slice(1), quoted)];
    case "ParameterExpansion":
      if (part.prefix === "#" && part.operation === undefined && part.index === undefined) return [{ kind: "number" }];
      if (part.prefix === undefined && part.operation === undefined && part.index === undefined)
        return [readVariable(part.parameter, quoted)];
      return [{ kind: "unknown", because: `the expansion ${part.text}`, nodes: scriptsBelow(part, place.context) }];
    case "ArithmeticExpansion": {
      const nodes = scriptsBelow(part, place.context);
      return nodes.length === 0 && !/[[\]=]/.test(part.text) ? [{ kind: "number" }] : [{ kind: "unknown", because: "arithmetic", nodes }];
    }
    case "CommandExpansion":
    case "ProcessSubstitution":
      return [
        {
          kind: "script",
          nodes: part.script === undefined ? [] : place.context.script(part.script, place.context.depth + 1),
          quoted,
          process: part.type === "ProcessSubstitution",
        },
      ];
    case "BraceExpansion": {
      const nodes = scriptsBelow(part, place.context);
      return nodes.length === 0 ? [{ kind: "braces", text: part.text }] : [{ kind: "unknown", because: "a brace expansion", nodes }];
    }
    case "ExtendedGlob":
      return [{ kind: "unknown", because: `the pattern ${part.text}`, nodes: scriptsBelow(part, place.context) }];
  }
}

function readVariable(name: string, quoted: boolean): Piece {
  return /^[?$!#]$/.test(name) ? { kind: "number" } : { kind: "variable", name, quoted };
}

/** Scripts anywhere below a node. */
function scriptsBelow(node: SyntaxNode, context: DangerContext): readonly ShellNode[] {
  const found: ShellNode[] = [];
  const visit = (child: SyntaxNode): void => {
    if (child.type === "Script") found.push(...context.script(child, context.depth + 1));
    else forEachChild(child, visit);
  };
  forEachChild(node, visit);
  return found;
}
