import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import type { CodeAnswer, CodeProblem, CodeQuestion, FileChange } from "../../contract/language-servers.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { PRESETS } from "../../guard/presets/presets.ts";
import { fileStates } from "./read.ts";
import { pathGate } from "./path-gate.ts";
import { lsp, withNewErrors } from "./lsp.ts";
import { write } from "./write.ts";

const NOTHING: CodeAnswer = { places: [], notes: [] };

/** The tool over a workspace with files, and servers that give one answer. */
function scene(files: Readonly<Record<string, string>>, answer: CodeAnswer = NOTHING, errors?: readonly CodeProblem[]) {
  const workspace = tempFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(workspace, name), text);
  const questions: CodeQuestion[] = [];
  const changes: FileChange[] = [];
  const servers = {
    endings: [".ts"],
    async ask(question: CodeQuestion) {
      questions.push(question);
      return answer;
    },
    async newErrors(change: FileChange) {
      changes.push(change);
      return errors;
    },
    async [Symbol.asyncDispose]() {},
  };
  const paths = { ...PRESETS.default.paths, readRoots: ["."], writeRoots: ["."] };
  const policy = { ...PRESETS.default, paths, version: 1, workspaceRoot: workspace, home: tempFolder() } as const;
  const gate = pathGate(policy, realMachine);
  const parts = { gate, states: fileStates(), buffers: undefined };
  const tool = lsp({ ...parts, workspace, servers });
  return {
    workspace,
    questions,
    changes,
    run: async (input: object) => (await tool.run(tool.input.parse(input), context)).text,
    write: async (path: string, content: string) =>
      await withNewErrors(write(parts), servers).run({ path, content }, context),
  };
}

const context: ToolContext = { callId: "1", signal: new AbortController().signal, progress: () => {}, emit: () => {} };
const place = (path: string, line: number, isFile = true) => ({ path, isFile, line, column: 0 });

test("a symbol is found by its name, on its line or the first that has it", async () => {
  const { run, questions } = scene({ "a.ts": "alphabet();\r\n  // é alpha\nthis.alpha = $alpha + alpha;\n" });
  await run({ operation: "definition", path: "a.ts", symbol: "alpha" });
  await run({ operation: "definition", path: "a.ts", symbol: "alpha", line: 3 });
  await run({ operation: "hover", path: "a.ts", symbol: "this.alpha", line: 3 });
  await run({ operation: "references", path: "a.ts", symbol: "$alpha" });
  await run({ operation: "symbols", path: "a.ts" });
  expect(questions.map(({ operation, position }) => [operation, position.line, position.column])).toEqual([
    ["definition", 1, 7],
    ["definition", 2, 5],
    ["hover", 2, 5],
    ["references", 2, 13],
    ["symbols", 0, 0],
  ]);
});

test("a line that is a little off is corrected, and said; one that is far off says where the symbol is", async () => {
  const { run, questions } = scene({ "a.ts": `one\n${"\n".repeat(30)}one\n` });
  expect(await run({ operation: "definition", path: "a.ts", symbol: "one", line: 4 })).toBe(
    '(nothing found)\n["one" is not on line 4; this is about the one on line 1]',
  );
  expect(questions[0]?.position).toEqual({ line: 0, column: 0 });
  await expect(run({ operation: "definition", path: "a.ts", symbol: "one", line: 15 })).rejects.toThrow(
    '"one" is not on line 15; it is on 1, 32',
  );
  await expect(run({ operation: "definition", path: "a.ts", symbol: "two", line: 1 })).rejects.toThrow(
    'the text "two" does not occur in this file',
  );
  await expect(run({ operation: "hover", path: "a.ts" })).rejects.toThrow("hover needs the symbol");
});

test("places show their lines; those outside the workspace only where they are", async () => {
  const elsewhere = join(tempFolder(), "lib.d.ts");
  writeFileSync(elsewhere, "not shown\n");
  const places: ReturnType<typeof place>[] = [];
  const { run, workspace } = scene({ "a.ts": "one\n  two();\n" }, { places, notes: ["careful"] });
  symlinkSync(elsewhere, join(workspace, "link.ts"));
  places.push(
    place(join(workspace, "a.ts"), 1),
    place(join(workspace, "a.ts"), 99),
    place(join(workspace, "gone\n[fake].ts"), 0),
    place(join(workspace, "link.ts"), 0),
    place(elsewhere, 4),
    place("untitled:x", 0, false),
  );
  expect((await run({ operation: "references", path: "a.ts", symbol: "one" })).split("\n")).toEqual([
    "a.ts:2: two();",
    "a.ts:100",
    "link.ts:1",
    `${elsewhere}:5 (outside the workspace)`,
    "untitled:x:1 (outside the workspace)",
    "[1 more in files that may not be read]",
    "[careful]",
  ]);
});

test("places in files that may not be read are counted and not named", async () => {
  const places: ReturnType<typeof place>[] = [];
  const { run, workspace } = scene({ "a.ts": "one\n", ".env": "TOKEN=1\n" }, { places, notes: [] });
  places.push(place(join(workspace, ".env"), 0), place("/etc/shadow", 0));
  const text = await run({ operation: "definition", path: "a.ts", symbol: "one" });
  expect(text).toBe("[2 more in files that may not be read]");
});

test("more places than a model can use are counted", async () => {
  const many = Array.from({ length: 250 }, (_, line) => place("/nowhere/a.ts", line));
  const { run } = scene({ "a.ts": "one\n" }, { places: many, notes: [] });
  const lines = (await run({ operation: "references", path: "a.ts", symbol: "one" })).split("\n");
  expect([lines.length, lines.at(-1)]).toEqual([201, "[50 more]"]);
});

test("a file that may not be read is not shown to a server", async () => {
  const { run, workspace, questions } = scene({ "a.ts": "one\n" });
  const outside = join(tempFolder(), "b.ts");
  writeFileSync(outside, "x");
  symlinkSync(outside, join(workspace, "out.ts"));
  mkdirSync(join(workspace, "folder"));
  await expect(run({ operation: "symbols", path: outside })).rejects.toThrow("outside");
  await expect(run({ operation: "symbols", path: "out.ts" })).rejects.toThrow("outside");
  await expect(run({ operation: "symbols", path: "missing.ts" })).rejects.toThrow("does not exist");
  expect(await run({ operation: "symbols", path: "folder" })).toContain("is a folder; pass a file");
  expect(questions).toEqual([]);
});

test("symbols, types and problems are lines of text", async () => {
  const file = { "a.ts": "one\n" };
  const symbols = [
    { name: "A", kind: "class", line: 0, depth: 0 },
    { name: "b", kind: "method", line: 4, depth: 1 },
  ];
  expect(await scene(file, { symbols, notes: [] }).run({ operation: "symbols", path: "a.ts" })).toBe(
    "class A, line 1\n  method b, line 5",
  );
  const hover = scene(file, { hover: "const one: 1", notes: [] });
  expect(await hover.run({ operation: "hover", path: "a.ts", symbol: "one" })).toBe("const one: 1");
  const problems = (["hint", "error"] as const).map((severity) => ({ severity, line: 1, message: "m" }));
  expect(await scene(file, { problems, notes: [] }).run({ operation: "diagnostics", path: "a.ts" })).toBe(
    "line 2: error: m\nline 2: hint: m",
  );
  const clean = scene(file, { problems: [], notes: [] });
  expect(await clean.run({ operation: "diagnostics", path: "a.ts" })).toBe("(no problems)");
});

test("the result of an edit names the errors that it brought, up to ten", async () => {
  const errors = Array.from({ length: 12 }, (_, line) => ({ severity: "error", line, message: `e${line}` }) as const);
  const { write: save, changes, workspace } = scene({}, NOTHING, errors);
  const { text, failed } = await save("new.ts", "text\n");
  expect([failed, ...text.split("\n").slice(1)]).toEqual([
    false,
    "This change brings 12 new errors:",
    ...Array.from({ length: 10 }, (_, line) => `line ${line + 1}: error: e${line}`),
    "[2 more]",
  ]);
  expect(changes).toEqual([{ kind: "write", path: join(workspace, "new.ts"), before: null, after: "text\n" }]);
});

test("an edit without new errors, or without an answer, says nothing of them", async () => {
  for (const errors of [[], undefined]) {
    const { write: save, workspace } = scene({}, NOTHING, errors);
    expect((await save("new.ts", "text\n")).text).toBe(`created ${join(workspace, "new.ts")} (1 lines, 5 bytes)`);
  }
  const { write: save, changes } = scene({ "a.ts": "one\n" }, NOTHING, []);
  expect((await save("a.ts", "not read before\n")).failed).toBe(true);
  expect(changes).toEqual([]);
});
