import { accessSync, constants, type Stats, statSync } from "node:fs";
import { dirname, relative } from "node:path";
import * as z from "zod";
import type { Tool } from "../../contract/tool.ts";
import { errorCode } from "../../lib/text/user-error.ts";
import { answer } from "./answer.ts";
import type { PathGate } from "./path-gate.ts";
import { recordReader, runRipgrep, type SearchEnd } from "./ripgrep.ts";

const GrepInput = z.strictObject({
  pattern: z.string().min(1).max(4000).describe("regular expression (Rust syntax)"),
  path: z.string().min(1).default("."),
  glob: z.string().min(1).optional().describe("only these files, for example *.ts"),
  literal: z.boolean().default(false),
  ignore_case: z.boolean().default(false),
  context: z.int().min(0).max(20).default(0),
  output: z.enum(["lines", "files", "counts"]).default("lines"),
  limit: z.int().min(1).max(2000).default(200),
});

const MAX_TEXT = 40_000;

export const grep = (gate: PathGate, workspace: string, ripgrep: () => Promise<string>): Tool<typeof GrepInput> => ({
  name: "grep",
  description: "Search file contents with ripgrep. Skips files that git ignores.",
  input: GrepInput,
  sideBySide: true,
  async run(input, { callId, signal }) {
    const target = searchTarget(input.path, callId, gate, "a file or folder");
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
    return answer([...lines, ...notes(end, lines.length, hidden, reader.metBinary())].join("\n"));
  },
});

function grepOptions(input: z.output<typeof GrepInput>): readonly string[] {
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

/** What a model must know about how a search ended. */
function notes({ stopped }: SearchEnd, found: number, hidden = 0, binary = false): readonly string[] {
  return [
    ...(found === 0 && stopped === "done" && hidden === 0 && !binary ? ["(nothing found)"] : []),
    ...(stopped === "enough" ? ["[more results; narrow the search]"] : []),
    ...(stopped === "too long" ? ["[stopped after 30 s; narrow the search]"] : []),
    ...(binary ? ["[matches in binary files are not shown]"] : []),
    ...(hidden > 0 ? [`[${hidden} more in files that may not be read]`] : []),
  ];
}

/** Caches the answer per file, because a file has many lines. */
function remembered(ask: (path: string) => boolean): (path: string) => boolean {
  const known = new Map<string, boolean>();
  return (path) => {
    const allowed = known.get(path) ?? ask(path);
    known.set(path, allowed);
    return allowed;
  };
}

const GlobInput = z.strictObject({
  pattern: z.string().min(1).max(1000).describe("for example **/*.test.ts"),
  path: z.string().min(1).default("."),
  ignored: z.boolean().default(false).describe("include files that git ignores"),
  limit: z.int().min(1).max(5000).default(200),
});

export const glob = (gate: PathGate, workspace: string, ripgrep: () => Promise<string>): Tool<typeof GlobInput> => ({
  name: "glob",
  description: "Find files by name, newest first.",
  input: GlobInput,
  sideBySide: true,
  async run({ pattern, path, ignored, limit }, { callId, signal }) {
    if (pattern.startsWith("!")) throw new Error("a pattern says what to find, not what to exclude");
    const target = searchTarget(path, callId, gate, "a folder");
    const mayRead = remembered(gate.mayRead);
    const files: string[] = [];
    const onRecord = (file: string): boolean => {
      if (mayRead(file)) files.push(relative(workspace, file));
      return files.length < limit;
    };
    const end = await runRipgrep({
      program: await ripgrep(),
      options: ["--files", "--null", "--sortr=modified", ...(ignored ? ["--no-ignore"] : []), `--glob=${pattern}`],
      target,
      folder: target,
      signal,
      onRecord,
      separator: "\0",
    });
    return answer([...files, ...notes(end, files.length)].join("\n"));
  },
});

/** Where a search starts: the judged target of the path. Throws, naming it, when there is nothing to search. */
function searchTarget(path: string, callId: string, gate: PathGate, wants: "a folder" | "a file or folder"): string {
  const real = gate.real(path);
  gate.check(callId, real, "read");
  const stat = lookAt(real);
  if (!stat.isFile() && !stat.isDirectory()) throw new Error(`${real} is neither a file nor a folder`);
  if (wants === "a folder" && !stat.isDirectory()) throw new Error(`${real} is a file, not a folder; pass its folder`);
  return real;
}

/** Ripgrep silently skips what it cannot read, so the target itself is tested first. */
function lookAt(real: string): Stats {
  try {
    const stat = statSync(real);
    accessSync(real, stat.isDirectory() ? constants.R_OK | constants.X_OK : constants.R_OK);
    return stat;
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT") throw new Error(`${real} does not exist`, { cause: error });
    if (code === "ENOTDIR") throw new Error(`${dirname(real)} is not a folder`, { cause: error });
    if (code === "EACCES") throw new Error(`${real} is not readable by this user`, { cause: error });
    throw new Error(`${real} cannot be searched: ${code ?? String(error)}`, { cause: error });
  }
}
