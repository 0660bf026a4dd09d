import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { writeFiles } from "../../../test/support/git-repository.ts";
import { tempFolder, tempRepository } from "../../../test/support/temp-folder.ts";
import { claudeInstructions } from "./instructions.ts";
import { possibleImports } from "./instructions.ts";

/** The folders that Claude Code gets, the text in our own folder, and the warnings for the user. */
function given(workspace: string, cwd = workspace, words: readonly string[] = []) {
  const folder = tempFolder();
  const warnings: string[] = [];
  const mayRead = (path: string) => !path.endsWith(".env");
  const { flags, excludes } = claudeInstructions({
    flags: words,
    cwd,
    workspace,
    folder,
    mayRead,
    warn: (text) => warnings.push(text),
  });
  const file = join(folder, "claude-instructions/CLAUDE.md");
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  return {
    folders: flags.filter((flag) => flag !== "--add-dir" && !flag.startsWith(folder)),
    excludes,
    text,
    warnings,
  };
}

const linked = (workspace: string, target: string, name: string) => {
  mkdirSync(dirname(join(workspace, name)), { recursive: true });
  symlinkSync(target, join(workspace, name));
};

test("Claude Code reads a repository's files itself when all of them may be read", () => {
  const workspace = tempRepository();
  writeFiles(workspace, {
    "CLAUDE.md": "TOP @docs/a.md `@types/node` a@b.c @missing.md @/components/x **@docs/a.md**",
    "docs/a.md": "A @../CLAUDE.md",
    "deep/down/x": "",
    "deep/.claude/rules/r/one.md": "RULE",
    "deep/CLAUDE.local.md": "LOCAL",
  });
  linked(workspace, "../../docs/a.md", "deep/.claude/CLAUDE.md");
  const result = given(workspace, join(workspace, "deep/down"));
  expect(result.folders).toEqual([workspace, join(workspace, "deep"), join(workspace, "deep/down")]);
  expect([result.excludes, result.warnings]).toEqual([[], []]);
  expect(result.text).toMatch(/LOCAL$/);
  expect(result.text).not.toMatch(/TOP|RULE/);
});

function outside(name: string): string {
  const folder = tempFolder();
  writeFiles(folder, { key: "SECRET", "rules/r.md": "SECRET" });
  return join(folder, name);
}
const KEEP = { "CLAUDE.md": "KEPT", ".env": "SECRET" };

test.each<[string, (workspace: string) => void, string]>([
  ["a link out", (top) => linked(top, outside("key"), ".claude/CLAUDE.md"), "it is a link out of the workspace"],
  ["a link to .env", (top) => linked(top, "../.env", ".claude/CLAUDE.md"), "the policy denies reading it"],
  ["an import", (top) => writeFiles(top, { "CLAUDE.md": "KEPT @.env" }), "the policy denies reading it"],
  ["a rule's import", (top) => writeFiles(top, { ".claude/rules/a/r.md": "RULE @../../../.env" }), "the policy denies"],
  ["a linked rule", (top) => linked(top, outside("key"), ".claude/rules/r.md"), "it is a link out"],
  ["linked rules", (top) => linked(top, outside("rules"), ".claude/rules"), "it is a link out"],
  ["rules that loop", (top) => linked(top, "rules", ".claude/rules"), "it cannot be read"],
  [
    "an import of an import",
    (top) => writeFiles(top, { "CLAUDE.md": "KEPT @a.md", "a.md": "@a.md @.env" }),
    "the policy denies reading it",
  ],
  [
    "a device",
    (top) => {
      writeFiles(top, { "CLAUDE.md": "KEPT @fifo" });
      execFileSync("mkfifo", [join(top, "fifo")]);
    },
    "it is not a regular file",
  ],
  [
    "a huge file",
    (top) => writeFiles(top, { ".claude/rules/r.md": "x".repeat(2_000_000) }),
    "cut at 262144 bytes in all",
  ],
])("with %s that must not be read, Claude Code gets the rest as a text of ours", (_, plant, because) => {
  const workspace = tempRepository();
  writeFiles(workspace, KEEP);
  plant(workspace);
  const result = given(workspace);
  expect([result.folders, result.excludes]).toEqual([[], [`${workspace}/**`]]);
  expect(result.text).toContain("KEPT");
  expect(result.text).not.toContain("SECRET");
  expect(result.warnings).toEqual([expect.stringContaining(because)]);
});

test.each([
  "**@.env**",
  "[@.env](x)",
  "|@.env|",
  "``` a`b\n@.env\n```",
  "_@.env_",
  "a\\_@.env#x",
  "<!-- a -->@.e<!-- b -->nv",
  "<b>@./docs/../.env</b>",
])("%j is not left to Claude Code, whatever it takes for an import", (text) => {
  const workspace = tempRepository();
  writeFiles(workspace, { ...KEEP, "docs/x": "", "CLAUDE.md": text });
  const result = given(workspace);
  expect(result.folders).toEqual([]);
  expect(result.text).not.toContain("SECRET");
});

test("imports of a linked file are looked for beside the link and beside the file", () => {
  const workspace = tempRepository();
  writeFiles(workspace, { "docs/a.md": "KEPT @.env", "docs/.env": "SECRET" });
  linked(workspace, "docs/a.md", "CLAUDE.md");
  expect(given(workspace)).toMatchObject({ folders: [], text: expect.stringContaining("KEPT") });
});

test("the pattern that keeps Claude Code from reading them itself means the folder, whatever its name", () => {
  const workspace = join(tempFolder(), "a {b} [c] (d)! *é_-.~");
  writeFiles(workspace, { ...KEEP, "CLAUDE.md": "@.env" });
  expect(given(workspace).excludes).toEqual([join(dirname(workspace), "a ?b? ?c? ?d?? ?é_-.?/**")]);
});

test.each([[["--add-dir", "x", "sub"]], [["--add-dir=sub"]]])(
  "a folder of the person's own %j is checked too",
  (words) => {
    const workspace = tempRepository();
    writeFiles(workspace, { ...KEEP, "sub/CLAUDE.md": "SUB @../.env" });
    expect(given(workspace).folders).toEqual([workspace]);
    const result = given(workspace, workspace, words);
    expect([result.folders, result.excludes]).toEqual([[], [`${workspace}/**`]]);
    expect(result.text).toMatch(/KEPT[^]*SUB/);
  },
);

test("a text of ours holds no path of another folder right after an @", () => {
  const workspace = tempRepository();
  const text = "``` a`b\n@~/key @/etc/key **@../key** x@<!-- -->/key\n```\n`\n@~/key#";
  writeFiles(workspace, { ...KEEP, "CLAUDE.md": `KEPT @.env\n${text}` });
  expect(given(workspace).text).not.toMatch(/@(?:~?\/|\.\.\/|<!--)/);
});

test("words that are too long or too many are not looked through", () => {
  expect(possibleImports(`@${"a".repeat(2000)}`)).toBeUndefined();
  expect(possibleImports("@".repeat(200_000))).toBeUndefined();
  expect(possibleImports(Array.from({ length: 3000 }, (_, at) => `@${at}`).join(" "))).toBeUndefined();
  expect([...(possibleImports("**@a_b.md** x@y @a\\ b @..") ?? [])]).toEqual([
    "a",
    "a_b.md",
    "a_b.md*",
    "a_b.md**",
    "y",
    "a b",
  ]);
});
