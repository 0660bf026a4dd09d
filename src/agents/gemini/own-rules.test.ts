import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { geminiOwnRules } from "./own-rules.ts";

interface Scene {
  readonly flags?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
}

function rulesOf({ flags = [], files = {} }: Scene) {
  const root = tempFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const start = { flags, env: { HOME: join(root, "home") }, cwd: root, workspace: root, interactive: false };
  const { deny, ask, unreadable } = geminiOwnRules(start, root);
  const shown = (rules: typeof deny) => rules.map(({ where, patterns }) => [where.replace(`${root}/`, ""), patterns]);
  return { deny: shown(deny), ask: shown(ask), unreadable: unreadable?.where.replace(`${root}/`, "") };
}

const toml = (...rules: readonly Readonly<Record<string, unknown>>[]) =>
  rules
    .map((rule) => {
      const lines = Object.entries({ toolName: "run_shell_command", priority: 100, ...rule });
      return ["[[rule]]", ...lines.map(([key, value]) => `${key} = ${JSON.stringify(value)}`)].join("\n");
    })
    .join("\n");

const TOUCH = [
  { kind: "words", words: ["touch"] },
  { kind: "text", text: "touch *" },
];
const ANY = [{ kind: "any" }];
const OWN = "home/.gemini/policies/own.toml";
const SETTINGS = "home/.gemini/settings.json";
const tools = (value: object) => ({ files: { [SETTINGS]: `/* mine */ ${JSON.stringify({ tools: value })}` } });

test.each<readonly [string, Scene, object]>([
  ["no rules", {}, {}],
  [
    "a denial",
    { files: { [OWN]: toml({ commandPrefix: "touch", decision: "deny" }) } },
    { deny: [[`${OWN}:4`, TOUCH]] },
  ],
  [
    "a question",
    { files: { [OWN]: toml({ commandPrefix: ["touch"], decision: "ask_user" }) } },
    { ask: [[`${OWN}:4`, TOUCH]] },
  ],
  ["every tool", { files: { [OWN]: toml({ toolName: "*", decision: "deny" }) } }, { deny: [[`${OWN}:2`, ANY]] }],
  [
    "other tools",
    { files: { [OWN]: toml({ toolName: "write_file", decision: "deny" }, { mcpName: "x", decision: "deny" }) } },
    {},
  ],
  ["an allowed pattern", { files: { [OWN]: toml({ commandRegex: "git .*", decision: "allow" }) } }, {}],
  [
    "a denied pattern",
    { files: { [OWN]: toml({ commandRegex: "git .*", decision: "deny" }) } },
    { unreadable: `${OWN}:4` },
  ],
  ["broken TOML", { files: { [OWN]: "[[rule" } }, { unreadable: OWN }],
  ["an unknown decision", { files: { [OWN]: toml({ decision: "forbid" }) } }, { unreadable: `${OWN}:2` }],
  [
    "an exception to a denial",
    { files: { [OWN]: toml({ decision: "ask_user" }, { commandPrefix: "git", decision: "allow", priority: 200 }) } },
    { ask: [[`${OWN}:2`, ANY]], unreadable: `${OWN}:8` },
  ],
  [
    "an allowed program beside a denied one",
    {
      files: {
        [OWN]: toml(
          { commandPrefix: "touch", decision: "deny" },
          { commandPrefix: "git", decision: "allow", priority: 200 },
        ),
      },
    },
    { deny: [[`${OWN}:4`, TOUCH]] },
  ],
  [
    "named files instead of the user's folder",
    {
      flags: ["--policy", "a.toml"],
      files: { [OWN]: toml({ decision: "deny" }), "a.toml": toml({ commandPrefix: "touch", decision: "deny" }) },
    },
    { deny: [["a.toml:4", TOUCH]] },
  ],
  [
    "an administrator's file",
    { files: { "etc/gemini-cli/policies/all.toml": toml({ commandPrefix: "touch", decision: "deny" }) } },
    { deny: [["etc/gemini-cli/policies/all.toml:4", TOUCH]] },
  ],
  [
    "an extension's file",
    {
      files: {
        "home/.gemini/extensions/x/policies/a.toml": toml({ commandPrefix: "touch", decision: "deny" }),
        "home/.gemini/extensions/x/commands/b.toml": "[[",
      },
    },
    { deny: [["home/.gemini/extensions/x/policies/a.toml:4", TOUCH]] },
  ],
  [
    "tools.exclude",
    tools({ exclude: ["run_shell_command(touch)", "web_fetch"] }),
    { deny: [[`${SETTINGS}:1`, TOUCH]] },
  ],
  ["tools.confirmationRequired", tools({ confirmationRequired: ["ShellTool"] }), { ask: [[`${SETTINGS}:1`, ANY]] }],
  ["tools.core without the shell", tools({ core: ["read_file"] }), { deny: [[`${SETTINGS}:1`, ANY]] }],
  ["tools.core with a part of it", tools({ core: ["run_shell_command(git)"] }), { unreadable: `${SETTINGS}:1` }],
  ["tools.allowed", tools({ allowed: ["run_shell_command", "write_file"] }), {}],
  ["tools.allowed with a part of it", tools({ allowed: ["run_shell_command(git)"] }), { unreadable: `${SETTINGS}:1` }],
  ["the same by flag", { flags: ["--allowed-tools=run_shell_command(git)"] }, { unreadable: "--allowed-tools" }],
  ["broken settings", { files: { [SETTINGS]: "{" } }, { unreadable: SETTINGS }],
])("%s", (_, given, expected) => {
  expect(rulesOf(given)).toEqual({ deny: [], ask: [], unreadable: undefined, ...expected });
});
