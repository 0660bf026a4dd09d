/** A shell script as both readers describe it. Words keep their pieces, because variables are only resolved later. */
export type ShellNode = ShellCommand | ShellList;

export interface ShellCommand {
  readonly kind: "command";
  readonly assignments: readonly ShellAssignment[];
  readonly words: readonly RawWord[];
  readonly redirects: readonly ShellRedirect[];
  readonly source: string;
}

/**
 * Nodes that belong together. `sequence` shares its state with what follows, `subshell` does not, `pipeline` isolates
 * each part and feeds it to the next, `chain` is joined by `&&` only and `either` also by `||`, `loop` assigns each of
 * its words to a variable, `block` is control flow whose parts may or may not run, `function` runs when called.
 */
export interface ShellList {
  readonly kind: "sequence" | "chain" | "either" | "subshell" | "pipeline" | "loop" | "block" | "function";
  readonly nodes: readonly ShellNode[];
  /** The loop variable, or the function's name. */
  readonly name?: string;
  readonly words?: readonly RawWord[];
}

export interface ShellAssignment {
  readonly name: string;
  readonly value: RawWord;
}

export interface ShellRedirect {
  /** `>`, `>>`, `<`, `<>`, `>&`, `<&`, `>|`, `&>`, `&>>`, `<<` (here document) or `<<<`. */
  readonly operator: string;
  readonly target: RawWord;
  /** The descriptor in front of the operator. */
  readonly descriptor?: number;
  /** The variable that receives the number of a new descriptor: `{name}>`. */
  readonly variable?: string;
}

export interface RawWord {
  readonly pieces: readonly WordPiece[];
}

export type WordPiece =
  | { readonly kind: "text"; readonly text: string; readonly quoted: boolean }
  | { readonly kind: "glob"; readonly text: string }
  | { readonly kind: "variable"; readonly name: string; readonly quoted: boolean }
  /** `${name:-text}`, or `${name-text}`, which replaces only a variable that is not set. */
  | {
      readonly kind: "default";
      readonly name: string;
      readonly operator: string;
      readonly text: string;
      readonly quoted: boolean;
    }
  | {
      readonly kind: "script";
      readonly nodes: readonly ShellNode[];
      readonly quoted: boolean;
      readonly process: boolean;
    }
  | { readonly kind: "braces"; readonly text: string }
  | { readonly kind: "number" }
  | {
      readonly kind: "unknown";
      readonly because: string;
      readonly nodes: readonly ShellNode[];
      /** Texts that it may expand to. */
      readonly likely?: readonly string[];
    };

/** The commands of a script in source order, each before those of its substitutions. */
export function flatten(nodes: readonly ShellNode[]): readonly ShellCommand[] {
  const found: ShellCommand[] = [];
  const visit = (node: ShellNode): void => {
    if (node.kind === "command") found.push(node);
    for (const word of wordsOf(node)) for (const piece of word.pieces) nestedNodes(piece).forEach(visit);
    if (node.kind !== "command") node.nodes.forEach(visit);
  };
  nodes.forEach(visit);
  return found;
}

function nestedNodes(piece: WordPiece): readonly ShellNode[] {
  return piece.kind === "script" || piece.kind === "unknown" ? piece.nodes : [];
}

function wordsOf(node: ShellNode): readonly RawWord[] {
  if (node.kind !== "command") return node.words ?? [];
  return [
    ...node.assignments.map((assignment) => assignment.value),
    ...node.words,
    ...node.redirects.map((redirect) => redirect.target),
  ];
}
