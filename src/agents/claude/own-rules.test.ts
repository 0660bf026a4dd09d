import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFiles } from "../../../test/support/git-repository.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { claudeOwnRules } from "./own-rules.ts";

const permissions = (lists: object) => JSON.stringify({ permissions: lists });
const rm = (list: string) => permissions({ [list]: ["Bash(rm:*)"] });

/** Where each rule was found, by list, for Claude Code started in `work`. */
function rulesOf(files: Readonly<Record<string, string>>, flags: readonly string[] = []) {
  const root = tempFolder();
  const cwd = join(root, "work");
  writeFiles(root, { "work/file": "", ...files });
  const start = { flags, env: { HOME: join(root, "home") }, cwd, workspace: cwd, interactive: false };
  const { deny, ask, allow, unreadable } = claudeOwnRules(start, root);
  const places = (rules: readonly { where: string }[]) => rules.map(({ where }) => where.replace(`${root}/`, ""));
  return {
    deny: places(deny),
    ask: places(ask),
    allow: places(allow),
    unreadable: places(unreadable === undefined ? [] : [unreadable]),
  };
}

const NONE = { deny: [], ask: [], allow: [], unreadable: [] };

test("the rules of every source add up: the administrator's, the user's, the repository's, and the flags'", () => {
  const files = {
    "etc/claude-code/managed-settings.json": rm("deny"),
    "etc/claude-code/managed-settings.d/10-more.json": rm("ask"),
    // Only JSON files count there.
    "etc/claude-code/managed-settings.d/README": "not settings",
    "home/.claude/settings.json": rm("allow"),
    "work/.claude/settings.local.json": rm("deny"),
    "work/named.json": rm("ask"),
  };
  const flags = ["--settings", "named.json", `--settings=${rm("deny")}`, "--disallowed-tools", "Bash(id), Bash(ls)"];
  expect(rulesOf(files, flags)).toEqual({
    deny: [
      "etc/claude-code/managed-settings.json:1",
      "--settings:1",
      "work/.claude/settings.local.json:1",
      "--disallowedTools",
      "--disallowedTools",
    ],
    ask: ["etc/claude-code/managed-settings.d/10-more.json:1", "work/named.json:1"],
    allow: ["home/.claude/settings.json:1"],
    unreadable: [],
  });
});

test.each([
  ["no JSON", "{ broken", "home/.claude/settings.json"],
  ["a list that is none", permissions({ deny: "Bash" }), "home/.claude/settings.json"],
])("the user's settings with %s are unreadable", (_, text, place) => {
  expect(rulesOf({ [place]: text })).toEqual({ ...NONE, unreadable: [place] });
});

test("an empty file has no rules", () => {
  expect(rulesOf({ "home/.claude/settings.json": " \n" })).toEqual(NONE);
});

test("a repository can add denials and questions, but neither allow anything nor make the rules unreadable", () => {
  const place = "work/.claude/settings.json";
  expect(rulesOf({ [place]: rm("allow") })).toEqual(NONE);
  expect(rulesOf({ [place]: "{ broken" })).toEqual(NONE);
  expect(rulesOf({ [place]: permissions({ deny: "Bash" }) })).toEqual(NONE);
  expect(rulesOf({ [place]: rm("ask") })).toEqual({ ...NONE, ask: [`${place}:1`] });
});
