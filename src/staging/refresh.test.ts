import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFiles } from "../../test/support/git-repository.ts";
import { signalbox } from "../../test/support/run-signalbox.ts";
import { tempFolder, tempRepository } from "../../test/support/temp-folder.ts";
import { stagedCheck, textsFor } from "./refresh.ts";

/** What a launch in a folder of the repository gives Claude Code. */
async function given(files: Readonly<Record<string, string>>, ofUser: Readonly<Record<string, string>> = {}) {
  const [workspace, SIGNALBOX_HOME] = [tempRepository(), tempFolder()];
  writeFiles(workspace, { "below/file": "", ...files });
  writeFiles(SIGNALBOX_HOME, ofUser);
  const texts = await textsFor("claude", join(workspace, "below"), { SIGNALBOX_HOME });
  return texts?.({ workspace, home: SIGNALBOX_HOME, mayRead: () => true, trusts: () => true, warn: () => {} });
}

test("a launch gives the texts of the repository and of the user", async () => {
  const texts = await given({ ".signalbox/instructions.md": "theirs" }, { "skills/s/SKILL.md": "Mine." });
  expect(texts?.instructions.map(({ text }) => text)).toEqual([expect.stringContaining("theirs")]);
  expect(texts?.skills.map(({ name }) => name)).toContain("s");
});

test("a launch without such texts still gives the bundled recipes", async () => {
  const [texts, more] = [await given({}), await given({ ".signalbox/instructions.md": "theirs" })];
  expect([texts?.instructions, texts?.agents]).toEqual([[], []]);
  expect(texts?.commands.map(({ name }) => name)).toContain("investigate");
  expect(more?.commands).toEqual(texts?.commands);
});

test("what is staged is recognised from every folder of the repository, and nothing is where nothing is staged", async () => {
  const [root, HOME] = [tempRepository(), tempFolder()];
  writeFiles(root, { "below/it/file": "" });
  const env = { SIGNALBOX_HOME: join(HOME, ".signalbox") };
  expect(await stagedCheck(join(root, "below/it"), env)).toBeUndefined();
  expect((await signalbox(["stage", "claude"], { cwd: root, env: { HOME } })).code).toBe(0);
  // The agent reads the settings of every folder above, past a nested repository too.
  execFileSync("git", ["init", "-q", join(root, "below")]);
  const [path, text] = [join(root, ".claude/settings.json"), readFileSync(join(root, ".claude/settings.json"), "utf8")];
  for (const cwd of [root, join(root, "below/it")]) {
    const isStaged = await stagedCheck(cwd, env);
    expect([isStaged?.(path, text), isStaged?.(path, text.replace("signalbox", "other"))]).toEqual([true, false]);
  }
});
