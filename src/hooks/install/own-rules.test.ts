import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { findPack } from "../../agents/registry.ts";
import { LooseOrderPolicy } from "../../contract/policy-file.ts";
import { isUserError } from "../../lib/user-error.ts";
import { refuseRewriting } from "./refuse-unsafe.ts";

interface Scene {
  readonly agent: "claude" | "codex" | "copilot";
  /** Files by path, below `home/`, `work/` or `etc/`. */
  readonly files?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
}

async function packOf(agent: Scene["agent"]) {
  const pack = findPack(agent);
  const install = await pack?.install?.();
  if (pack === undefined || install === undefined) throw new Error(`${agent} cannot be guarded`);
  return { ...install, program: pack.program };
}

async function found({ agent, files = {}, flags = [] }: Scene) {
  const root = tempFolder();
  const workspace = join(root, "work");
  mkdirSync(workspace);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const env = { HOME: join(root, "home") };
  const { ownRule } = await packOf(agent);
  const rule = ownRule({ flags, env, cwd: workspace, workspace }, root);
  return rule === undefined ? undefined : [rule.rule, rule.where.replace(`${root}/`, "")];
}

const rules = (permissions: object) => JSON.stringify({ permissions });

test.each<readonly [string, Scene, readonly [string, string]]>([
  [
    "the user's settings",
    { agent: "claude", files: { "home/.claude/settings.json": rules({ deny: ["Bash(touch:*)"] }) } },
    ["Bash(touch:*)", "home/.claude/settings.json"],
  ],
  [
    "an ask rule of the repository",
    { agent: "claude", files: { "work/.claude/settings.local.json": rules({ ask: ["Bash(git push *)"] }) } },
    ["Bash(git push *)", "work/.claude/settings.local.json"],
  ],
  [
    "a rule about files, which Claude Code holds against commands too",
    { agent: "claude", files: { "home/.claude/settings.json": rules({ deny: ["WebFetch", "Read(./.env)"] }) } },
    ["Read(./.env)", "home/.claude/settings.json"],
  ],
  [
    "an administrator's drop-in",
    { agent: "claude", files: { "etc/claude-code/managed-settings.d/a.json": rules({ deny: ["Bash(rm:*)"] }) } },
    ["Bash(rm:*)", "/etc/claude-code/managed-settings.d/a.json"],
  ],
  [
    "settings on the command line",
    { agent: "claude", flags: ["--settings", rules({ deny: ["Bash(rm:*)"] })] },
    ["Bash(rm:*)", "--settings"],
  ],
  [
    "a flag with its values behind it",
    { agent: "claude", flags: ["--disallowedTools", "WebSearch", "Bash(rm:*)", "--verbose"] },
    ["Bash(rm:*)", "--disallowedTools"],
  ],
  [
    "a flag with its value in it",
    { agent: "claude", flags: ["--disallowed-tools=Bash(rm:*)"] },
    ["Bash(rm:*)", "--disallowedTools"],
  ],
  [
    "a forbidden prefix of Codex",
    {
      agent: "codex",
      files: { "home/.codex/rules/d.rules": '# forbidden\nprefix_rule(pattern=["touch"], decision="forbidden")\n' },
    },
    ['prefix_rule(pattern=["touch"], decision="forbidden")', "home/.codex/rules/d.rules"],
  ],
  [
    "a prompt rule over several lines, of the repository",
    {
      agent: "codex",
      files: { "work/.codex/rules/d.rules": 'prefix_rule(\n  pattern=["touch"],\n  decision="prompt",\n)\n' },
    },
    ['decision="prompt",', "work/.codex/rules/d.rules"],
  ],
  [
    "a decision of Codex that is computed",
    { agent: "codex", files: { "home/.codex/rules/d.rules": 'prefix_rule(pattern=["x"], decision="for" + other)\n' } },
    ['prefix_rule(pattern=["x"], decision="for" + other)', "home/.codex/rules/d.rules"],
  ],
  ["--deny-tool", { agent: "copilot", flags: ["--deny-tool=shell(touch)"] }, ["shell(touch)", "--deny-tool"]],
  [
    "--deny-tool with a word behind it",
    { agent: "copilot", flags: ["--deny-tool", "write"] },
    ["write", "--deny-tool"],
  ],
  [
    "addresses that Copilot may not reach",
    { agent: "copilot", files: { "home/.copilot/settings.json": '{"deniedUrls":["evil.com"]}' } },
    ["deniedUrls evil.com", "home/.copilot/settings.json"],
  ],
])("finds %s", async (_, scene, expected) => expect(await found(scene)).toEqual(expected));

test.each<readonly [string, Scene]>([
  ["none", { agent: "claude" }],
  [
    "allow rules and rules about other tools",
    {
      agent: "claude",
      files: { "home/.claude/settings.json": rules({ allow: ["Bash(ls:*)"], deny: ["mcp__x__y", "WebFetch"] }) },
    },
  ],
  [
    "allow rules of Codex",
    { agent: "codex", files: { "home/.codex/rules/default.rules": 'prefix_rule(pattern=["ls"], decision="allow")\n' } },
  ],
  [
    "rules of Codex that are switched off",
    {
      agent: "codex",
      flags: ["--ignore-rules"],
      files: { "home/.codex/rules/d.rules": 'prefix_rule(pattern=["touch"], decision="forbidden")\n' },
    },
  ],
  ["flags of Copilot that allow", { agent: "copilot", flags: ["--allow-tool=shell(ls)"] }],
])("finds nothing in %s", async (_, scene) => expect(await found(scene)).toBeUndefined());

type Start = Partial<Omit<Parameters<typeof refuseRewriting>[1], "agent">>;

async function refused(agent: Scene["agent"], start: Start = {}): Promise<unknown> {
  const workspace = tempFolder();
  const env = { HOME: tempFolder() };
  const rest = { level: "workspace", flags: [], interactive: false, order: undefined };
  try {
    const pack = await packOf(agent);
    refuseRewriting(pack, { env, cwd: workspace, workspace, ...rest, ...start, agent: pack.program });
    return "starts";
  } catch (error) {
    if (!isUserError(error)) throw error;
    return [error.exitCode, error.message, error.where];
  }
}

test("a sandbox is refused where it would lift the user's own rule, and to Claude Code without a person", async () => {
  expect(await refused("codex")).toBe("starts");
  expect(await refused("copilot", { flags: ["--deny-tool=shell(rm)"] })).toEqual([
    2,
    "your rule shell(rm) would not apply with sandbox: workspace, which rewrites every command",
    "--deny-tool",
  ]);
  expect(await refused("claude", { interactive: true })).toBe("starts");
  expect(await refused("claude")).toEqual([
    2,
    "Claude Code without a terminal would refuse every command that sandbox: workspace rewrites",
    "the sandbox setting of the policy",
  ]);
  expect(await refused("claude", { order: LooseOrderPolicy.parse({}) })).toBe("starts");
});
