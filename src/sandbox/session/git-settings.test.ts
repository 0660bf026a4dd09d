import { spawnSync } from "node:child_process";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { hasSandbox, openScene } from "../../../test/support/sandbox-scene.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { isHarmlessInRepository, namedBySettings, settingsFile, settingsOf } from "./git-settings.ts";

const git = (cwd: string, ...args: readonly string[]) => spawnSync("git", args, { cwd });

function repository(settings: Readonly<Record<string, string>>): string {
  const folder = realpathSync(tempFolder());
  git(folder, "init", "-q");
  mkdirSync(join(folder, "tools/hooks"), { recursive: true });
  writeFileSync(join(folder, "tools/filter.js"), "");
  writeFileSync(join(folder, "more"), "[core]\n\tfsmonitor = tools/watch\n");
  for (const [name, value] of Object.entries(settings)) git(folder, "config", name, value);
  return folder;
}

describe("what a repository's settings name", () => {
  test.each([
    ["nothing", {}, []],
    ["folders of hooks", { "core.hooksPath": "tools/hooks" }, ["tools/hooks"]],
    ["programs", { "filter.x.clean": "node tools/filter.js --fast", "alias.x": "!npm test" }, ["tools/filter.js"]],
    [
      "more settings, also missing ones",
      { "include.path": "../more", "includeIf.onbranch:x.path": "../later" },
      ["more", "later"],
    ],
    [
      "what is elsewhere, also in the home",
      { "core.hooksPath": "~/hooks", "include.path": "/etc/more" },
      ["/home/a/hooks", "/etc/more"],
    ],
  ] as const)("%s", (_, settings, expected) => {
    const folder = repository(settings);
    const place = { workTrees: [folder], home: "/home/a", users: [] };
    expect(namedBySettings([join(folder, ".git")], place)).toEqual(expected.map((path) => resolve(folder, path)));
  });

  test.skipIf(!hasSandbox)("cannot be changed by a command", async () => {
    const scene = await openScene({
      layOut(_, workspace) {
        git(workspace, "init", "-q");
        for (const args of [
          ["core.hooksPath", "tools/hooks"],
          ["include.path", "../more"],
          ["alias.x", "!sh tools/x.sh"],
        ])
          git(workspace, "config", ...args);
        mkdirSync(join(workspace, "tools"));
        writeFileSync(join(workspace, "tools/x.sh"), "");
      },
    });
    const { output } = scene.run(
      "mkdir tools/hooks; touch tools/hooks/pre-commit; echo x >tools/x.sh; mv tools t; echo x >more; touch tools/y; sleep 0.1; ls tools .",
    );
    expect(output).toContain("Read-only file system");
    expect(output).toMatch(/^\.:\ntools\n\ntools:\nx\.sh\ny\n/);
    await scene[Symbol.asyncDispose]();
  });
});

test.each([
  ["core.bare", "true", true],
  ["remote.origin.url", "https://example.org/x", true],
  ["remote.origin.url", "ext::sh -c x", false],
  ["remote.origin.url", "--upload-pack=x", false],
  ["branch.main.remote", "ext::x", false],
  ["remote.origin.uploadpack", "x", false],
  ["core.fsmonitor", "x", false],
  ["gc.auto", "0", true],
  ["gc.recentobjectshook", "x", false],
  ["core.worktree", "..", false],
  ["filter.lfs.clean", "git-lfs clean -- %f", true],
  ["filter.lfs.clean", "x", false],
  ["include.path", "x", false],
  ["submodule.x.update", "!x", false],
  ["submodule.x.url", "../x", true],
])("a repository's setting %s = %s runs nothing: %s", (name, value, expected) => {
  expect(isHarmlessInRepository({ name, value })).toBe(expected);
});

test("settings that are written are read again as they were", async () => {
  const settings = [
    { name: "core.bare", value: "false" },
    { name: 'remote.a "b" \\.c.url', value: ' x;#"\\\ty ' },
    { name: "remote.a.fetch", value: "+refs/*:refs/*" },
  ];
  expect(await settingsOf(Buffer.from(settingsFile(settings)))).toEqual(settings);
});
