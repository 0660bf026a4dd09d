import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFiles } from "../../../test/support/git-repository.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { programFile } from "./copilot.ts";

test.each([
  ".mcp.json",
  ".github/mcp.json",
  ".vscode/mcp.json",
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".github/copilot/settings.json",
  ".github/hooks/any.json",
])("a Copilot that trusts the folder may start programs by %s, from a folder below too", (name) => {
  const root = tempFolder();
  mkdirSync(join(root, ".git"));
  mkdirSync(join(root, "a/b"), { recursive: true });
  expect(programFile(join(root, "a/b"))).toBeUndefined();
  writeFiles(root, { [name]: "{}" });
  expect(programFile(join(root, "a/b"))).toBe(join(root, name));
});

test("instructions start nothing, and a file above the repository is none of it", () => {
  const root = tempFolder();
  writeFiles(root, { ".mcp.json": "{}", "repository/AGENTS.md": "x", "repository/.github/hooks/readme.md": "x" });
  mkdirSync(join(root, "repository/.git"));
  expect(programFile(join(root, "repository"))).toBeUndefined();
});
