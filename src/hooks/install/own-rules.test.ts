import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { findPack } from "../../agents/packs.ts";
import type { HeldRule, OwnRules } from "../../contract/own-rules.ts";
import { isUserError } from "../../lib/text/user-error.ts";
import { launchedOwnRules, liveOwnRules } from "../hook-context.ts";
import { unreadableRule } from "./contain-session.ts";

interface Scene {
  readonly agent: "claude" | "codex" | "copilot" | "gemini";
  /** Files by path, below `home/`, `work/` or `etc/`. */
  readonly files?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  readonly interactive?: boolean;
}

async function readerOf({ agent, files = {}, flags = [], interactive = false }: Scene) {
  const root = tempFolder();
  const workspace = join(root, "work");
  mkdirSync(workspace);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text.replaceAll("ROOT", root));
  }
  const install = await findPack(agent)?.install?.();
  if (install === undefined) throw new Error(`${agent} cannot be guarded`);
  const env = { HOME: join(root, "home") };
  return { root, read: () => install.readOwnRules({ flags, env, cwd: workspace, workspace, interactive }, root) };
}

async function found(scene: Scene) {
  const { root, read } = await readerOf(scene);
  const { deny, ask, unreadable } = read();
  const place = (where: string) => where.replace(`${root}/`, "");
  const named = (list: string) => (rule: HeldRule) => [list, rule.rule, place(rule.where)];
  return [
    ...deny.map(named("deny")),
    ...ask.map(named("ask")),
    ...(unreadable === undefined ? [] : [["unreadable", unreadable.rule, place(unreadable.where)]]),
  ];
}

const rules = (permissions: object) => JSON.stringify({ permissions });
const FORBIDDEN = 'prefix_rule(pattern=["touch"], decision="forbidden")\n';
const HELD = 'prefix_rule(["touch"], "forbidden")';

test.each<readonly [string, Scene, readonly (readonly [string, string, string])[]]>([
  [
    "the user's settings, with the line",
    {
      agent: "claude",
      files: { "home/.claude/settings.json": '{"permissions":{"deny":[\n"WebFetch",\n"Bash(rm:*)"]}}' },
    },
    [["deny", "Bash(rm:*)", "home/.claude/settings.json:3"]],
  ],
  [
    "deny and ask rules of the repository, though a launch leaves its settings out",
    {
      agent: "claude",
      files: {
        "work/.claude/settings.local.json": rules({ ask: ["Bash(git push *)"] }),
        "work/.claude/settings.json": rules({ deny: ["Bash"], allow: ["Bash(x)"] }),
      },
    },
    [
      ["deny", "Bash", "work/.claude/settings.json:1"],
      ["ask", "Bash(git push *)", "work/.claude/settings.local.json:1"],
    ],
  ],
  [
    "a rule about files, which Claude Code holds against commands too",
    { agent: "claude", files: { "home/.claude/settings.json": rules({ deny: ["WebFetch", "Edit", "Read(./.env)"] }) } },
    [["deny", "Read(./.env)", "home/.claude/settings.json:1"]],
  ],
  [
    "an administrator's settings and drop-ins",
    {
      agent: "claude",
      files: {
        "etc/claude-code/managed-settings.json": rules({ deny: ["Bash(a)"] }),
        "etc/claude-code/managed-settings.d/b.json": rules({ deny: ["Bash(b)"] }),
      },
    },
    [
      ["deny", "Bash(a)", "etc/claude-code/managed-settings.json:1"],
      ["deny", "Bash(b)", "etc/claude-code/managed-settings.d/b.json:1"],
    ],
  ],
  [
    "settings on the command line",
    { agent: "claude", flags: ["--settings", rules({ deny: ["Bash(rm:*)"] })] },
    [["deny", "Bash(rm:*)", "--settings:1"]],
  ],
  [
    "a settings file on the command line",
    {
      agent: "claude",
      flags: ["--settings=../home/mine.json"],
      files: { "home/mine.json": rules({ ask: ["Bash(a)"] }) },
    },
    [["ask", "Bash(a)", "home/mine.json:1"]],
  ],
  [
    "flags with several rules in one word and behind it",
    { agent: "claude", flags: ["--disallowedTools", "WebSearch, Bash(git log:*)", "Bash(rm:*)", "--verbose"] },
    [
      ["deny", "Bash(git log:*)", "--disallowedTools"],
      ["deny", "Bash(rm:*)", "--disallowedTools"],
    ],
  ],
  [
    "a flag in its other spelling",
    { agent: "claude", flags: ["--disallowed-tools=Bash(rm:*)"] },
    [["deny", "Bash(rm:*)", "--disallowedTools"]],
  ],
  [
    "rules that Claude Code matches against other fields than the command",
    { agent: "claude", files: { "home/.claude/settings.json": rules({ deny: ["Bash(run_in_background:true)"] }) } },
    [["unreadable", "Bash(run_in_background:true)", "home/.claude/settings.json:1"]],
  ],
  [
    "user settings that are not JSON",
    { agent: "claude", files: { "home/.claude/settings.json": "{ deny" } },
    [["unreadable", "settings that are not a JSON object", "home/.claude/settings.json"]],
  ],
  [
    "a list that is not one",
    { agent: "claude", files: { "home/.claude/settings.json": rules({ deny: "Bash" }) } },
    [["unreadable", "permissions.deny is not a list", "home/.claude/settings.json"]],
  ],
  [
    "a repository that tries to switch containment off: its unreadable rule asks about everything",
    {
      agent: "claude",
      files: { "work/.claude/settings.json": rules({ deny: ["Bash(("] }), "work/.claude/settings.local.json": "{" },
    },
    [["ask", "Bash((", "work/.claude/settings.json:1"]],
  ],
  [
    "Codex's rules in the home and of the administrator, over several lines and with comments",
    {
      agent: "codex",
      files: {
        "home/.codex/rules/d.rules": `# prompt\n${FORBIDDEN}prefix_rule(\n  ["git", ['push', "fetch"],],\n  decision = "prompt", # why\n  match = [["git", "push"]],\n)\nnetwork_rule(host="evil.com", protocol="https", decision="deny")\nhost_executable(name="git", paths=["/usr/bin/git"])\n`,
        "etc/codex/rules/default.rules": 'prefix_rule(pattern=["ls"], decision="allow")\n',
        "etc/codex/requirements.toml":
          '[rules]\nprefix_rules = [{ pattern = [{ token = "rm" }, { any_of = ["-rf", "-fr"] }], decision = "forbidden" }]\n',
      },
    },
    [
      ["deny", HELD, "home/.codex/rules/d.rules:2"],
      ["deny", 'network_rule("evil.com", "deny")', "home/.codex/rules/d.rules:8"],
      [
        "deny",
        '{"pattern":[{"token":"rm"},{"any_of":["-rf","-fr"]}],"decision":"forbidden"}',
        "etc/codex/requirements.toml",
      ],
      ["ask", 'prefix_rule(["git",["push","fetch"]], "prompt")', "home/.codex/rules/d.rules:3"],
    ],
  ],
  [
    "rules that are computed, by their line",
    {
      agent: "codex",
      files: { "home/.codex/rules/d.rules": `${FORBIDDEN}\nfor x in ["a"]:\n  prefix_rule(pattern=[x])\n` },
    },
    [["unreadable", 'for x in ["a"]:', "home/.codex/rules/d.rules:3"]],
  ],
  [
    "a decision that is computed",
    { agent: "codex", files: { "home/.codex/rules/d.rules": 'prefix_rule(pattern=["x"], decision="for" + other)\n' } },
    [["unreadable", 'prefix_rule(pattern=["x"], decision="for" + other)', "home/.codex/rules/d.rules:1"]],
  ],
  [
    "rubbish, without failing",
    { agent: "codex", files: { "home/.codex/rules/d.rules": `# x\nprefix_rule(pattern=${"[".repeat(50_000)}` } },
    [["unreadable", expect.stringMatching(/^prefix_rule/), "home/.codex/rules/d.rules:2"]],
  ],
  [
    "a text without an end",
    { agent: "codex", files: { "home/.codex/rules/d.rules": 'prefix_rule(pattern=["a' } },
    [["unreadable", 'prefix_rule(pattern=["a', "home/.codex/rules/d.rules:1"]],
  ],
  [
    "a decision that Codex does not have",
    { agent: "codex", files: { "home/.codex/rules/d.rules": 'prefix_rule(["x"], "no")\n' } },
    [["unreadable", 'prefix_rule(["x"], "no")', "home/.codex/rules/d.rules:1"]],
  ],
  [
    "the rules of a repository that Codex trusts",
    {
      agent: "codex",
      interactive: true,
      files: {
        "work/.codex/rules/d.rules": FORBIDDEN,
        "home/.codex/config.toml": '[projects."ROOT/work"]\ntrust_level = "trusted"\n',
      },
    },
    [["deny", HELD, "work/.codex/rules/d.rules:1"]],
  ],
  [
    "no rules of a repository that Codex does not trust, even unreadable ones",
    { agent: "codex", interactive: true, files: { "work/.codex/rules/d.rules": "for x in y: pass" } },
    [],
  ],
  [
    "no rules that --ignore-rules drops, but the administrator's",
    {
      agent: "codex",
      flags: ["--ignore-rules"],
      files: { "home/.codex/rules/d.rules": "for x in y: pass", "etc/codex/rules/d.rules": FORBIDDEN },
    },
    [["deny", HELD, "etc/codex/rules/d.rules:1"]],
  ],
  [
    "Copilot's flags and denied addresses",
    {
      agent: "copilot",
      flags: ["--deny-tool=shell(touch), write", "--deny-tool", "shell(git:*)", "--deny-url", "http://a.com", "-s"],
      files: { "home/.copilot/settings.json": '// mine\n{"deniedUrls":["evil.com"]}' },
    },
    [
      ["deny", "shell(touch)", "--deny-tool"],
      ["deny", "shell(git:*)", "--deny-tool"],
      ["deny", "http://a.com", "--deny-url"],
      ["deny", "deniedUrls evil.com", "home/.copilot/settings.json:2"],
    ],
  ],
  [
    "a flag of Copilot without an end",
    { agent: "copilot", flags: ["--deny-tool=shell(touch"] },
    [["unreadable", "shell(touch", "--deny-tool"]],
  ],
  ["nothing without rules", { agent: "claude" }, []],
  [
    "nothing in allow rules and rules about other tools",
    {
      agent: "claude",
      files: {
        "home/.claude/settings.json": rules({ allow: ["Bash(ls:*)"], deny: ["mcp__x__y", "WebFetch(domain:a)"] }),
      },
    },
    [],
  ],
  ["nothing in what Copilot allows", { agent: "copilot", flags: ["--allow-tool=shell(ls)"] }, []],
])("finds %s", async (_, scene, expected) => expect(await found(scene)).toEqual(expected));

test("rules are read again when a source changes or appears; the bundle, which cannot, takes them for unreadable", async () => {
  const { root, read } = await readerOf({ agent: "codex", files: { "home/.codex/rules/a.rules": FORBIDDEN } });
  const first = read();
  let reads = 0;
  const current = liveOwnRules(first, () => (reads++, read()));
  expect([current(), launchedOwnRules(first), reads]).toEqual([first, first, 0]);

  const file = join(root, "home/.codex/rules/a.rules");
  writeFileSync(file, 'prefix_rule(["rm"], "prompt")\n');
  expect([current().deny, current().ask.map(({ rule }) => rule), reads]).toEqual([
    [],
    ['prefix_rule(["rm"], "prompt")'],
    1,
  ]);
  expect(launchedOwnRules(first).unreadable).toEqual({
    rule: "a rule that has changed since the launch",
    where: expect.stringContaining("a.rules"),
  });

  writeFileSync(join(root, "home/.codex/rules/b.rules"), FORBIDDEN);
  utimesSync(join(root, "home/.codex/rules"), 1, 1);
  expect([current().deny.length, reads]).toEqual([1, 2]);
});

test("the empty folder that an agent makes for its rules is no change, and a rule in it is one", async () => {
  const { root, read } = await readerOf({ agent: "gemini" });
  const first = read();
  const folder = join(root, "home/.gemini/policies");
  mkdirSync(folder, { recursive: true });
  expect(launchedOwnRules(first)).toEqual(first);
  writeFileSync(join(folder, "own.toml"), "");
  expect(launchedOwnRules(first).unreadable?.where).toBe(folder);
});

test("with a rule that cannot be read a start is uncontained under auto, and refused where a sandbox is required", () => {
  const none: OwnRules = { deny: [], ask: [], allow: [], sources: [] };
  const bad: OwnRules = { ...none, unreadable: { rule: "for x in y:", where: "/h/a.rules:3" } };
  expect(unreadableRule(none, { required: true, title: "Codex" })).toBeUndefined();
  expect(unreadableRule(bad, { required: false, title: "Codex" })).toEqual({
    contained: false,
    because:
      "signalbox cannot read a rule of Codex's own, which a rewritten command would bypass: for x in y: (/h/a.rules:3)",
    fix: "write the rule in /h/a.rules:3 in a plain form, or move it into the policy",
  });
  expect(() => unreadableRule(bad, { required: true, title: "Codex" })).toThrow(
    expect.toSatisfy((error: unknown) => isUserError(error) && error.where === "/h/a.rules:3" && error.exitCode === 3),
  );
});
