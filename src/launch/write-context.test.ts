import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git } from "../../test/support/git-repository.ts";
import { tempFolder, tempRepository } from "../../test/support/temp-folder.ts";
import { CONTEXT_FILE } from "../agents/active-agent.ts";
import { writeLauncherContext, writtenContext } from "./write-context.ts";

const LINE = `/${CONTEXT_FILE}*`;

test.each([
  ["missing", undefined, `${LINE}\n`],
  ["empty", "", `${LINE}\n`],
  ["with lines of the user's", "*.log\n", `*.log\n${LINE}\n`],
  ["without a last line break", "*.log", `*.log\n${LINE}\n`],
  ["with the line already", `${LINE}\n*.log`, `${LINE}\n*.log`],
])("the active agent is recorded, and git status does not show it: an exclude file %s", (_, before, after) => {
  const top = tempRepository();
  const file = join(top, ".git/info/exclude");
  mkdirSync(join(top, ".git/info"), { recursive: true });
  git(top, "config", "core.excludesFile", "/dev/null");
  rmSync(file, { force: true });
  if (before !== undefined) {
    writeFileSync(file, before);
    chmodSync(file, 0o640);
  }
  mkdirSync(join(top, "sub"));
  expect(writeLauncherContext("codex", join(top, "sub"), "1.2.3")).toEqual([]);
  expect(JSON.parse(readFileSync(join(top, CONTEXT_FILE), "utf8"))).toMatchObject({
    launcher: "codex",
    command: "signalbox codex",
    pid: process.pid,
    signalbox: "1.2.3",
  });
  expect(readFileSync(file, "utf8")).toBe(after);
  if (before !== undefined) expect(statSync(file).mode & 0o777).toBe(0o640);
  expect(git(top, "status", "--porcelain", "--untracked-files=all")).toBe("");
});

test("a link out of the repository is not followed, and an exclude file that is a link stays as it is", () => {
  const [top, outside] = [tempRepository(), tempFolder()];
  symlinkSync(outside, join(top, CONTEXT_FILE.split("/")[0] ?? ""));
  expect(writeLauncherContext("codex", top, "1")).toEqual([expect.stringContaining("is a link out of the repository")]);
  expect(readdirSync(outside)).toEqual([]);

  const other = tempRepository();
  const file = join(other, ".git/info/exclude");
  mkdirSync(join(other, ".git/info"), { recursive: true });
  rmSync(file, { force: true });
  writeFileSync(join(outside, "theirs"), "");
  symlinkSync(join(outside, "theirs"), file);
  expect(writeLauncherContext("codex", other, "1")).toEqual([
    `git status will show ${CONTEXT_FILE}: cannot change ${file} (it is not a regular file)`,
  ]);
  expect(readFileSync(join(outside, "theirs"), "utf8")).toBe("");
});

test("the record is removed with its folders and its line, and one of another program stays", () => {
  const top = tempRepository();
  mkdirSync(join(top, ".git/info"), { recursive: true });
  writeFileSync(join(top, ".git/info/exclude"), "*.log\n");
  writeLauncherContext("codex", top, "1.2.3");
  writtenContext(top)?.remove();
  expect(readdirSync(top)).toEqual([".git"]);
  expect(readFileSync(join(top, ".git/info/exclude"), "utf8")).toBe("*.log\n");

  mkdirSync(join(top, ".claude/runtime"), { recursive: true });
  writeFileSync(join(top, CONTEXT_FILE), '{"launcher":"codex"}');
  expect(writtenContext(top)).toBeUndefined();
});
