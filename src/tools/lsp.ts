import * as z from "zod";
import { CODE_OPERATIONS, type CodeAnswer, type LanguageServers } from "../contract/language-servers.ts";
import type { Tool } from "../contract/tool.ts";
import { decodeText } from "../lib/text-form.ts";
import { answer, failure } from "./answer.ts";
import { seenFile, type WorkspaceBuffers } from "./files/editor-buffers.ts";
import type { PathGate } from "./files/path-gate.ts";
import { readJudged } from "./files/read-judged.ts";
import { findSymbol } from "./lsp/find-symbol.ts";
import { showPlaces } from "./lsp/show-places.ts";
import { showProblems } from "./lsp/show-problems.ts";

const Input = z.strictObject({
  operation: z.enum(CODE_OPERATIONS),
  path: z.string().min(1),
  symbol: z.string().min(1).max(500).optional().describe("needed for definition, references and hover"),
  line: z.int().min(1).optional().describe("where the symbol is; default: its first line"),
});
type Input = z.output<typeof Input>;

interface LspParts {
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

export const lsp = (parts: LspParts): Tool<typeof Input> => ({
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
  return findSymbol(text, { symbol, line });
}

function show(found: CodeAnswer, parts: LspParts): readonly string[] {
  if ("places" in found) return showPlaces(found.places, parts);
  if ("hover" in found) return [found.hover === "" ? "(nothing known)" : found.hover];
  if ("problems" in found)
    return found.problems.length === 0 ? ["(no problems)"] : showProblems(found.problems, MAX_PROBLEMS);
  if (found.symbols.length === 0) return ["(no symbols)"];
  return found.symbols.map(({ name, kind, line, depth }) => `${"  ".repeat(depth)}${kind} ${name}, line ${line + 1}`);
}
