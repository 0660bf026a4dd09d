import { relative } from "node:path";
import * as z from "zod";
import type { Tool } from "../contract/tool.ts";
import { answer } from "./answer.ts";
import { notes, remembered, type SearchParts } from "./grep.ts";
import { runRipgrep } from "./search/run-ripgrep.ts";
import { searchTarget } from "./search/search-target.ts";

const Input = z.strictObject({
  pattern: z.string().min(1).max(1000).describe("for example **/*.test.ts"),
  path: z.string().min(1).default("."),
  ignored: z.boolean().default(false).describe("include files that git ignores"),
  limit: z.int().min(1).max(5000).default(200),
});

export const glob = ({ gate, workspace, ripgrep }: SearchParts): Tool<typeof Input> => ({
  name: "glob",
  description: "Find files by name, newest first.",
  input: Input,
  sideBySide: true,
  async run({ pattern, path, ignored, limit }, { callId, signal }) {
    if (pattern.startsWith("!")) throw new Error("a pattern says what to find, not what to exclude");
    const target = searchTarget(path, { callId, gate, wants: "a folder" });
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
    return answer([...files, ...notes(end, { found: files.length, hidden: 0, binary: false })].join("\n"));
  },
});
