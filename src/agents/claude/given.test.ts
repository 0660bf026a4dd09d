import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { everything, writeFiles } from "../../../test/support/git-repository.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import type { GivenText } from "../../contract/agent-install.ts";
import { claudeGiven } from "./given.ts";

const text = (name: string, body = "Body.", folder = ""): GivenText => ({
  name,
  folder,
  description: "d",
  fields: { description: 'says "x": y' },
  body,
  from: `/r/${name}.md`,
  isOwn: false,
});

function given(body: string, files: Readonly<Record<string, string>> = {}, loadsRepository = false) {
  const [workspace, folder] = [tempFolder(), tempFolder()];
  writeFiles(workspace, files);
  symlinkSync(tempFolder(), join(workspace, "out"));
  const instructions = [{ path: "/r/instructions.md", text: body, isOwn: false }];
  const texts = { agents: [text("owl")], commands: [text("fix", body, "sub")], skills: [text("s")], instructions };
  const mayRead = (path: string) => !path.endsWith(".env");
  const flags = claudeGiven({ given: texts, cwd: workspace, workspace, folder, mayRead }, loadsRepository);
  return { flags, folder, written: everything(folder) };
}

test("Claude Code gets a private plugin and a private folder with instructions", () => {
  const { flags, folder, written } = given("Do $ARGUMENTS.");
  expect(flags).toEqual([
    "--plugin-dir",
    join(folder, "given-plugin"),
    "--add-dir",
    join(folder, "given-instructions"),
  ]);
  const names = Object.keys(written).filter((name) => name.includes("."));
  expect(names.toSorted()).toEqual([
    "given-instructions/CLAUDE.md",
    "given-plugin/.claude-plugin/plugin.json",
    "given-plugin/agents/owl.md",
    "given-plugin/commands/sub/fix.md",
    "given-plugin/skills/s/SKILL.md",
  ]);
  expect(readFileSync(join(folder, "given-plugin/commands/sub/fix.md"), "utf8")).toBe(
    '---\ndescription: "says \\"x\\": y"\n---\n\nDo $ARGUMENTS.\n',
  );
});

test("what Claude Code loads from the repository itself is not given again", () => {
  const files = { ".claude/agents/owl.md": "", ".claude/commands/sub/fix.md": "", ".claude/skills/s/SKILL.md": "" };
  expect(given("x", files, true).flags).toEqual(["--add-dir", expect.any(String)]);
  expect(given("x", files, false).flags.length).toBe(4);
});

test.each([
  ["a !`touch x` b", "a `touch x` (run this command and use its output here) b"],
  ["```!\ntouch x\n```", "``` (run this and use its output here)\n\ntouch x\n```"],
  ["!``touch x``", "! ``touch x``"],
  ["`x`!`y`", "`x``y` (run this command and use its output here)"],
  ["done! `code` and @src/a.ts", "done! `code` and @src/a.ts"],
  ["@pytest.fixture a@b.org", "@pytest.fixture a@b.org"],
  ["see @.env", "see @ .env"],
  ["see **@.env** and @a.md", "see **@ .env** and @ a.md"],
  ["@/etc/passwd", "@ /etc/passwd"],
  ["@~/x @../x", "@ ~/x @ ../x"],
  ['@".env"', '@ ".env"'],
  ["@out/x", "@out/x"],
])("%j becomes %j, so that nothing runs and no denied file is read", (body, expected) => {
  const { folder } = given(body);
  for (const name of ["given-plugin/commands/sub/fix.md", "given-instructions/CLAUDE.md"])
    expect(readFileSync(join(folder, name), "utf8")).toContain(`\n\n${expected}`);
});

test("a file behind a link out of the workspace is not read", () => {
  const [workspace, folder, outside] = [tempFolder(), tempFolder(), tempFolder()];
  writeFiles(outside, { "key.md": "SECRET" });
  mkdirSync(join(workspace, "docs"));
  symlinkSync(join(outside, "key.md"), join(workspace, "docs/key.md"));
  const texts = { agents: [], commands: [text("fix", "@docs/key.md")], skills: [], instructions: [] };
  claudeGiven({ given: texts, cwd: workspace, workspace, folder, mayRead: () => true }, false);
  expect(readFileSync(join(folder, "given-plugin/commands/fix.md"), "utf8")).toContain("@ docs/key.md");
});
