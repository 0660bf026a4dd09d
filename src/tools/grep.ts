import { relative } from "node:path";
import * as z from "zod";
import type { Tool } from "../contract/tool.ts";
import { answer } from "./answer.ts";
import type { PathGate } from "./files/path-gate.ts";
import { recordReader } from "./search/record-reader.ts";
import { runRipgrep, type SearchEnd } from "./search/run-ripgrep.ts";
import { searchTarget } from "./search/search-target.ts";

const Input = z.strictObject({
  pattern: z.string().min(1).max(4000).describe("regular expression (Rust syntax)"),
  path: z.string().min(1).default("."),
  glob: z.string().min(1).optional().describe("only these files, for example *.ts"),
  literal: z.boolean().default(false),
  ignore_case: z.boolean().default(false),
  context: z.int().min(0).max(20).default(0),
  output: z.enum(["lines", "files", "counts"]).default("lines"),
  limit: z.int().min(1).max(2000).default(200),
});

export interface SearchParts {
  readonly gate: PathGate;
  readonly workspace: string;
  readonly ripgrep: () => Promise<string>;
}

const MAX_TEXT = 40_000;

export const grep = ({ gate, workspace, ripgrep }: SearchParts): Tool<typeof Input> => ({
  name: "grep",
  description: "Search file contents with ripgrep. Skips files that git ignores.",
  input: Input,
  sideBySide: true,
  async run(input, { callId, signal }) {
    const target = searchTarget(input.path, { callId, gate, wants: "a file or folder" });
    const lines: string[] = [];
    const mayRead = remembered(gate.mayRead);
    const reader = recordReader(target);
    let [size, hidden] = [0, 0];
    const onRecord = (record: string): boolean => {
      const found = input.output === "files" ? { files: [record], text: "" } : reader.take(record);
      if (found === undefined) return true;
      const [file] = found.files;
      if (file === undefined || !found.files.every(mayRead)) {
        hidden++;
        return true;
      }
      const line = `${relative(workspace, file)}${found.text === "" ? "" : `:${found.text}`}`;
      size += line.length + 1;
      lines.push(line);
      return lines.length < input.limit && size < MAX_TEXT;
    };
    const end = await runRipgrep({
      program: await ripgrep(),
      options: grepOptions(input),
      target,
      folder: workspace,
      signal,
      onRecord,
      separator: input.output === "files" ? "\0" : "\n",
    });
    return answer([...lines, ...notes(end, { found: lines.length, hidden, binary: reader.metBinary() })].join("\n"));
  },
});

function grepOptions(input: z.output<typeof Input>): readonly string[] {
  const outputs = {
    lines: ["--line-number", "--no-heading", "--with-filename", "--max-columns=500", "--max-columns-preview"],
    files: ["--files-with-matches"],
    counts: ["--count", "--with-filename"],
  };
  return [
    "--null",
    ...outputs[input.output],
    ...(input.output === "lines" && input.context > 0 ? [`--context=${input.context}`] : []),
    ...(input.literal ? ["--fixed-strings"] : []),
    ...(input.ignore_case ? ["--ignore-case"] : []),
    ...(input.glob === undefined ? [] : [`--glob=${input.glob}`]),
    "--regexp",
    input.pattern,
  ];
}

interface Finds {
  readonly found: number;
  readonly hidden: number;
  readonly binary: boolean;
}

/** What a model must know about how a search ended. */
export function notes({ stopped }: SearchEnd, { found, hidden, binary }: Finds): readonly string[] {
  return [
    ...(found === 0 && stopped === "done" && hidden === 0 && !binary ? ["(nothing found)"] : []),
    ...(stopped === "enough" ? ["[more results; narrow the search]"] : []),
    ...(stopped === "too long" ? ["[stopped after 30 s; narrow the search]"] : []),
    ...(binary ? ["[matches in binary files are not shown]"] : []),
    ...(hidden > 0 ? [`[${hidden} more in files that may not be read]`] : []),
  ];
}

/** Caches the answer per file, because a file has many lines. */
export function remembered(ask: (path: string) => boolean): (path: string) => boolean {
  const known = new Map<string, boolean>();
  return (path) => {
    const allowed = known.get(path) ?? ask(path);
    known.set(path, allowed);
    return allowed;
  };
}
