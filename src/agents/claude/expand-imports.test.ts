import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { writeFiles } from "../../../test/support/git-repository.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { expandImports } from "./instructions.ts";

function expanded(workspace: string, mayRead: (path: string) => boolean = () => true) {
  const { parts, leftOut } = expandImports([join(workspace, "AGENTS.md")], { workspace, mayRead });
  return {
    parts: parts.map(({ path, text }) => [relative(workspace, path), text]),
    leftOut: leftOut.map(({ path, because }) => [relative(workspace, path), because]),
  };
}

test("imports come after the file that names them, each once, and not deeper than five", () => {
  const workspace = tempFolder();
  const chain = Object.fromEntries([1, 2, 3, 4, 5, 6].map((depth) => [`c${depth}.md`, `C${depth} @c${depth + 1}.md`]));
  writeFiles(workspace, {
    ...chain,
    "AGENTS.md": "TOP @docs/a.md @c1.md @missing.md @docs",
    "docs/a.md": "A @b.md @../AGENTS.md @a.md",
    "docs/b.md": "B @a.md",
  });
  const { parts, leftOut } = expanded(workspace);
  expect(parts.map(([path]) => path)).toEqual([
    "AGENTS.md",
    "docs/a.md",
    "docs/b.md",
    ...[1, 2, 3, 4, 5].map((depth) => `c${depth}.md`),
  ]);
  expect(leftOut).toEqual([]);
});

test("nothing is read from outside the workspace, from .git, or against the policy, and devices block nobody", () => {
  const workspace = tempFolder();
  const outside = tempFolder();
  writeFiles(outside, { "secret.md": "SECRET" });
  writeFiles(workspace, {
    "AGENTS.md": `TOP @link.md @folder/secret.md @${outside}/secret.md @~/.ssh/id_rsa @fifo @zero @binary @.git/config @.env @odd`,
    binary: Buffer.from([65, 0, 66]),
    ".env": "KEY=SECRET",
    ".git/config": "SECRET",
    odd: Buffer.from([79, 0xff, 0xfe, 80]),
  });
  symlinkSync(join(outside, "secret.md"), join(workspace, "link.md"));
  symlinkSync(outside, join(workspace, "folder"));
  symlinkSync("/dev/zero", join(workspace, "zero"));
  execFileSync("mkfifo", [join(workspace, "fifo")]);
  const { parts, leftOut } = expanded(workspace, (path) => !path.endsWith(".env"));
  expect(parts.map(([path]) => path)).toEqual(["AGENTS.md", "odd"]);
  expect(parts[1]?.[1]).toBe("O\ufffd\ufffdP");
  expect(JSON.stringify(parts)).not.toContain("SECRET");
  expect(leftOut.map(([, because]) => because)).toEqual([
    "it is a link out of the workspace",
    "it is a link out of the workspace",
    "imported from outside the workspace",
    "imported from outside the workspace",
    "it is not a regular file",
    "it is a link out of the workspace",
    "it is not text",
    "it leads into .git",
    "the policy denies reading it",
  ]);
});

test("a huge file and very many imports are cut, and it is said", () => {
  const workspace = tempFolder();
  const many = Array.from({ length: 100 }, (_, index) => `@m${index}.md`).join("\n");
  writeFiles(workspace, Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`m${index}.md`, "M"])));
  writeFiles(workspace, { "AGENTS.md": many });
  const first = expanded(workspace);
  expect([first.parts.length, first.leftOut.length]).toEqual([64, 37]);
  writeFiles(workspace, { "AGENTS.md": "x".repeat(2_000_000) });
  const second = expanded(workspace);
  expect([second.parts[0]?.[1]?.length, second.leftOut]).toEqual([
    262_144,
    [["AGENTS.md", "cut at 262144 bytes in all"]],
  ]);
});
