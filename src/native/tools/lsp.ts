import { relative } from "node:path";
import * as z from "zod";
import {
  CODE_OPERATIONS,
  type CodeAnswer,
  type CodePlace,
  type CodePosition,
  type CodeProblem,
  type LanguageServers,
} from "../../contract/language-servers.ts";
import type { Tool } from "../../contract/tool.ts";
import { isInside } from "../../lib/path/inside.ts";
import { printableLine, shortLine } from "../../lib/text/printable.ts";
import { decodeText } from "../../lib/text/text-form.ts";
import { answer, failure } from "./answer.ts";
import { seenFile, type WorkspaceBuffers } from "./editor-buffers.ts";
import { type PathGate, readJudged } from "./path-gate.ts";

const Input = z.strictObject({
  operation: z.enum(CODE_OPERATIONS),
  path: z.string().min(1),
  symbol: z.string().min(1).max(500).optional().describe("needed for definition, references and hover"),
  line: z.int().min(1).optional().describe("where the symbol is; default: its first line"),
});

type Input = z.output<typeof Input>;

interface LspOptions {
  readonly servers: LanguageServers;
  readonly gate: PathGate;
  /** Its real path. */
  readonly workspace: string;
  readonly buffers: WorkspaceBuffers | undefined;
}

/** More than a source file has; servers are slow with generated ones. */
const MAX_BYTES = 4 * 1024 * 1024;

const MAX_PROBLEMS = 100;

const WHOLE_FILE = new Set(["symbols", "diagnostics"]);

export const lsp = (parts: LspOptions): Tool<typeof Input> => ({
  name: "lsp",
  description: `Ask the project's language server about code (${parts.servers.endings.join(" ")}): where a symbol is defined or used, its type, the symbols or the problems of a file.`,
  input: Input,
  sideBySide: true,
  async run(input, { callId, signal }) {
    const { gate, buffers, servers } = parts;
    const { real, bytes } = readJudged(input.path, callId, gate);
    if (bytes === undefined) return failure(`${real} is a folder; pass a file`);
    if (bytes.length > MAX_BYTES) return failure(`${real} is too large for a language server; use grep`);
    const seen = await seenFile(real, bytes, { buffers, signal });
    const text = decodeText(seen.bytes)?.text;
    if (text === undefined) return failure(`${real} is not text`);
    const { position, note } = positionOf(input, text);
    const { operation } = input;
    const found = await servers.ask({ operation, path: real, text, position }, signal);
    const notes = [...(note === undefined ? [] : [note]), ...found.notes].map((each) => `[${each}]`);
    return answer([...show(found, parts), ...notes].join("\n"), [{ kind: "read", path: real }]);
  },
});

function positionOf({ operation, symbol, line }: Input, text: string): ReturnType<typeof findSymbol> {
  if (WHOLE_FILE.has(operation)) return { position: { line: 0, column: 0 } };
  if (symbol === undefined) throw new Error(`${operation} needs the symbol, as it is written in the file`);
  return findSymbol(text, symbol, line);
}

function show(found: CodeAnswer, parts: LspOptions): readonly string[] {
  if ("places" in found) return showPlaces(found.places, parts);
  if ("hover" in found) return [found.hover === "" ? "(nothing known)" : found.hover];
  if ("problems" in found)
    return found.problems.length === 0 ? ["(no problems)"] : showProblems(found.problems, MAX_PROBLEMS);
  if (found.symbols.length === 0) return ["(no symbols)"];
  return found.symbols.map(({ name, kind, line, depth }) => `${"  ".repeat(depth)}${kind} ${name}, line ${line + 1}`);
}

/** Models are often a few lines off after an edit. */
const NEAR = 5;

const MAX_LISTED = 10;

/**
 * Where a symbol is in a text: on the line, or on the nearest one if that is close. Of a name with dots the last part
 * is meant. `line` is counted from 1, as `read` shows it; without one, the first line that has the symbol. `note` says what was not as asked. Throws an error that says where the symbol is instead.
 */
function findSymbol(
  text: string,
  symbol: string,
  line: number | undefined,
): { readonly position: CodePosition; readonly note?: string } {
  const lines = text.split(/\r?\n/);
  const columns = lines.map((each) => columnOf(each, symbol));
  const all = columns.flatMap((column, index) => (column === -1 ? [] : [{ line: index, column }]));
  const [first] = all;
  if (first === undefined) throw new Error(`the text "${symbol}" does not occur in this file`);
  if (line === undefined) return { position: first };
  const distance = (position: CodePosition) => Math.abs(position.line - (line - 1));
  const nearest = all.reduce((best, each) => (distance(each) < distance(best) ? each : best), first);
  if (distance(nearest) === 0) return { position: nearest };
  const shown = all.slice(0, MAX_LISTED).map((each) => each.line + 1);
  if (distance(nearest) > NEAR)
    throw new Error(
      `"${symbol}" is not on line ${line}; it is on ${shown.join(", ")}${all.length > MAX_LISTED ? ", …" : ""}`,
    );
  return {
    position: nearest,
    note: `"${symbol}" is not on line ${line}; this is about the one on line ${nearest.line + 1}`,
  };
}

/** The column of the last part of a symbol, where the symbol stands by itself and is not part of a longer word. */
function columnOf(line: string, symbol: string): number {
  const isWord = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}_$]/u.test(character);
  for (let at = line.indexOf(symbol); at !== -1; at = line.indexOf(symbol, at + 1)) {
    const [before, after] = [line[at - 1], line[at + symbol.length]];
    const startsWord = !isWord(symbol[0]) || !isWord(before);
    const endsWord = !isWord(symbol.at(-1)) || !isWord(after);
    if (startsWord && endsWord) return at + lastPart(symbol);
  }
  return -1;
}

const lastPart = (symbol: string) => Math.max(symbol.lastIndexOf("."), symbol.lastIndexOf(":")) + 1;

const MAX_SHOWN = 200;

const MAX_FILES = 50;

const MAX_LINE = 200;

/** Places as lines for a model, with the text of those that are in the workspace and may be read. */
function showPlaces(places: readonly CodePlace[], { gate, workspace }: LspOptions): readonly string[] {
  const texts = new Map<string, readonly string[]>();
  const linesOf = (path: string): readonly string[] => {
    const known = texts.get(path);
    if (known !== undefined || texts.size >= MAX_FILES) return known ?? [];
    const lines = readLines(path, gate);
    texts.set(path, lines);
    return lines;
  };
  const visible = places.filter(({ path, isFile }) => !isFile || gate.mayRead(path));
  const shown = visible.slice(0, MAX_SHOWN).map(({ path, isFile, line }) => {
    if (!isFile || !isInside(path, workspace)) return `${printableLine(path)}:${line + 1} (outside the workspace)`;
    const text = shortLine(linesOf(path)[line] ?? "", MAX_LINE);
    return `${printableLine(relative(workspace, path))}:${line + 1}${text === "" ? "" : `: ${text}`}`;
  });
  const [hidden, left] = [places.length - visible.length, visible.length - shown.length];
  return [
    ...(places.length === 0 ? ["(nothing found)"] : shown),
    ...(left > 0 ? [`[${left} more]`] : []),
    ...(hidden > 0 ? [`[${hidden} more in files that may not be read]`] : []),
  ];
}

/** Empty where the file may not be read: a server may name any file, and one may be a link to another place. */
function readLines(path: string, gate: PathGate): readonly string[] {
  try {
    const { bytes } = readJudged(path, NO_CALL, gate);
    return bytes === undefined ? [] : (decodeText(bytes)?.text.split(/\r?\n/) ?? []);
  } catch {
    return [];
  }
}

/** No call was judged for these files, so what needs approval is not read. */
const NO_CALL = "";

/** Problems as lines for a model, errors first. */
function showProblems(problems: readonly CodeProblem[], most: number): readonly string[] {
  const sorted = ORDER.flatMap((wanted) => problems.filter(({ severity }) => severity === wanted));
  const shown = sorted.slice(0, most).map(({ severity, line, message }) => `line ${line + 1}: ${severity}: ${message}`);
  return [...shown, ...(sorted.length > most ? [`[${sorted.length - most} more]`] : [])];
}

const ORDER = ["error", "warning", "information", "hint"] as const;

const MAX_NEW_ERRORS = 10;

/** The same tool, whose result names the errors that its change has brought, if a language server runs. */
export function withNewErrors<Input extends z.ZodType>(
  tool: Tool<Input>,
  servers: LanguageServers | undefined,
): Tool<Input> {
  if (servers === undefined) return tool;
  return {
    ...tool,
    async run(input, context) {
      const output = await tool.run(input, context);
      const change = output.deeds?.find((deed) => deed.kind === "write");
      if (output.failed || change === undefined) return output;
      const errors = (await servers.newErrors(change, context.signal)) ?? [];
      if (errors.length === 0) return output;
      const count = errors.length === 1 ? "a new error" : `${errors.length} new errors`;
      const lines = showProblems(errors, MAX_NEW_ERRORS);
      return { ...output, text: [output.text, `This change brings ${count}:`, ...lines].join("\n") };
    },
  };
}
