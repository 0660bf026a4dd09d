import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder, tempRepository } from "../../../test/support/temp-folder.ts";
import { leaveOut, trustedFilesOf } from "./settings.ts";
import { changedSince, nestedSkill, nestedBeside } from "./hooks.ts";

const SETTINGS = ".claude/settings.json";

function repository(files: Readonly<Record<string, string>>): string {
  const workspace = tempRepository();
  for (const [path, text] of Object.entries(files)) write(workspace, path, text);
  return workspace;
}

function write(workspace: string, path: string, text: string): void {
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  writeFileSync(join(workspace, path), text);
}

const trusting = (workspace: string, trusted: readonly string[] | "all") => ({
  flags: [],
  env: {},
  interactive: false,
  cwd: workspace,
  workspace,
  trusts: (path: string) => trusted === "all" || trusted.some((name) => path === join(workspace, name)),
  trusted: [],
  staged: () => false,
  mayRead: () => true,
});

function said(workspace: string): readonly string[] {
  const texts: string[] = [];
  const folders = { folder: tempFolder(), home: tempFolder(), wrapper: "hook", binary: "claude" };
  leaveOut({ ...folders, ...trusting(workspace, []), warn: (text) => void texts.push(text) });
  return texts;
}

test("a repository is loaded only when every file that may start something is trusted", () => {
  const files = { [SETTINGS]: "{}", ".mcp.json": "{}", ".claude/skills/x/SKILL.md": "text", "CLAUDE.md": "text" };
  const workspace = repository(files);
  expect(trustedFilesOf(trusting(workspace, [SETTINGS, ".mcp.json"]))).toBe(undefined);
  const hold = trustedFilesOf(trusting(workspace, [SETTINGS, ".mcp.json", ".claude/skills/x/SKILL.md"]));
  expect(hold?.files.map(({ path }) => path)).toEqual(
    [SETTINGS, ".mcp.json", ".claude/skills/x/SKILL.md"].map((name) => join(workspace, name)),
  );
});

test("a repository with nothing to trust is not loaded, because a checkout may bring anything, and nothing is said", () => {
  const workspace = repository({ "CLAUDE.md": "text", "src/a.ts": "" });
  expect([trustedFilesOf(trusting(workspace, "all")), said(workspace)]).toEqual([undefined, []]);
});

test("settings that signalbox has staged are no reason to load a repository", () => {
  const workspace = repository({ [SETTINGS]: "{}" });
  expect(trustedFilesOf({ ...trusting(workspace, "all"), staged: () => true })).toBe(undefined);
});

test("a plugin among the skills and a .claude below the top cannot be trusted", () => {
  const plugin = repository({ [SETTINGS]: "{}", ".claude/skills/p/.claude-plugin/plugin.json": "{}" });
  expect(trustedFilesOf(trusting(plugin, "all"))).toBe(undefined);
  const below = repository({ [SETTINGS]: "{}", "texts/a.txt": "", "below/a.txt": "" });
  expect(trustedFilesOf(trusting(below, "all"))).not.toBe(undefined);
  symlinkSync("../texts", join(below, "below/.claude"));
  expect(trustedFilesOf(trusting(below, "all"))).toBe(undefined);
});

test("what is left out is named, with skills however they are spelled or linked, and texts that are not read", () => {
  const head = '---\n"h\\u006foks": {}\n---\n';
  const workspace = repository({ "stuff/x/SKILL.md": head, "CLAUDE.local.md": "", "below/CLAUDE.md": "" });
  mkdirSync(join(workspace, ".claude"));
  symlinkSync("../stuff", join(workspace, ".claude/skills"));
  expect(said(workspace)).toEqual([
    expect.stringMatching(/^\.claude\/skills\/x\/SKILL\.md in this repository can start programs and is not trusted/),
    expect.stringContaining("does not load below/CLAUDE.md"),
  ]);
});

test.each([
  ["settings that change", SETTINGS, '{"hooks":{}}'],
  ["local settings that come", ".claude/settings.local.json", "{}"],
  ["a skill that comes", ".claude/skills/y/SKILL.md", "text"],
  ["a plugin that comes", ".claude/skills/y/.claude-plugin/plugin.json", "{}"],
])("%s during the session are seen", (_, path, text) => {
  const workspace = repository({ [SETTINGS]: "{}" });
  const hold = trustedFilesOf(trusting(workspace, "all"));
  if (hold === undefined) throw new Error("not trusted");
  expect(changedSince(hold)).toBe(undefined);
  write(workspace, path, text);
  expect(changedSince(hold)?.startsWith(join(workspace, ".claude"))).toBe(true);
});

test("a file that goes away is no danger", () => {
  const workspace = repository({ [SETTINGS]: "{}" });
  const hold = trustedFilesOf(trusting(workspace, "all"));
  rmSync(join(workspace, SETTINGS));
  expect(hold && changedSince(hold)).toBe(undefined);
});

test("a call that names a file beside a nested .claude is told, also by a link and for a file that is yet to be", () => {
  const workspace = repository({ [SETTINGS]: "{}", "node_modules/x/.claude/skills/s/SKILL.md": "", "src/a.ts": "" });
  symlinkSync("node_modules/x", join(workspace, "other"));
  const hold = trustedFilesOf(trusting(workspace, "all"));
  if (hold === undefined) throw new Error("not trusted");
  const beside = (path: string) => nestedBeside(hold, { file_path: path }, workspace);
  expect(beside("src/a.ts")).toBe(undefined);
  expect(beside(join(workspace, "node_modules/x/new/deep.txt"))).toBe(join(workspace, "node_modules/x/.claude"));
  expect(beside("other/new.txt")).toBe(join(workspace, "other/.claude"));
});

test("a skill of a folder below is told from those at the top and of the user's plugins", () => {
  const home = repository({ ".claude/settings.json": '{"enabledPlugins":{"mine@market":true}}' });
  const told = ["review", "mine:review", "signalbox:review", "src:review", "/a/b:review", "src:", "mine:x:review", 1];
  expect(told.map((skill) => nestedSkill({ skill }, { HOME: home }))).toEqual([
    undefined,
    undefined,
    undefined,
    "src:review",
    "/a/b:review",
    "src:",
    "mine:x:review",
    undefined,
  ]);
  expect(nestedSkill({ command: "src:review" }, { HOME: home })).toBe("src:review");
  expect(nestedSkill(undefined, { HOME: home })).toBe(undefined);
});
