import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { refuseManaged } from "../../agents/install/refuse.ts";
import { managedSwitch } from "../../agents/packs.ts";
import type { AgentName } from "../../contract/agent.ts";
import { checkSwitches } from "./hooks.ts";

function home(files: Readonly<Record<string, string>>): string {
  const folder = tempFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const OWN: readonly (readonly [AgentName, string, string])[] = [
  ["claude", ".claude/settings.json", '{ // mine\n "disableAllHooks" : true }'],
  ["claude", ".claude.json", '{"env":{"CLAUDE_CODE_SIMPLE":"1"}}'],
  ["codex", ".codex/config.toml", "[features]\nhooks = false\n"],
  ["codex", ".codex/config.toml", "features.hooks=false\n"],
  ["codex", ".codex/config.toml", "features = { hooks = false }\n"],
  ["codex", ".codex/config.toml", 'features = { web = true, "hooks"=false }\n'],
  ["codex", ".codex/config.toml", "[features]\n'hooks' = false # mine\n"],
  ["codex", ".codex/config.toml", "[features]\ncodex_hooks = false\n"],
  ["copilot", ".copilot/settings.json", '{"disabledHooks":["abc"]}'],
  ["copilot", ".copilot/config.json", '{"disable_all_hooks": true}'],
];

test.each(OWN)("a switch of %s in the user's %s is named", (agent, path, text) => {
  const folder = home({ [path]: text });
  const { status, summary } = checkSwitches(agent, { HOME: folder }, folder);
  expect([status, summary.startsWith(join(folder, path))]).toEqual(["warn", true]);
});

test("settings that leave hooks alone are well, and so are none", () => {
  const folder = home({
    ".claude/settings.json": '{"disableAllHooks":false}',
    ".codex/config.toml":
      "model = 'x'\n# hooks = false\nweb-hooks = false\nfeatures = { hooks = true } # not hooks = false\n",
  });
  const ok = (id: string) => ({ id, status: "ok", summary: "nothing in your settings disables hooks" });
  expect(checkSwitches("claude", { HOME: folder }, folder)).toEqual(ok("switches.claude"));
  expect(checkSwitches("codex", { HOME: folder }, folder)).toEqual(ok("switches.codex"));
  expect(checkSwitches("copilot", { HOME: folder }, folder)).toEqual(ok("switches.copilot"));
});

test("an agent's own home is looked into where a variable names it", () => {
  const folder = home({ "elsewhere/config.toml": "[features]\nhooks = false\n" });
  const env = { HOME: folder, CODEX_HOME: join(folder, "elsewhere") };
  expect(checkSwitches("codex", env, folder).summary).toContain(join(folder, "elsewhere/config.toml"));
});

const MANAGED: readonly (readonly [AgentName, string, string])[] = [
  ["claude", "etc/claude-code/managed-settings.json", '{"allowManagedHooksOnly": true}'],
  ["claude", "etc/claude-code/managed-settings.d/10-hooks.json", '{"allowManagedHooksOnly": true}'],
  ["claude", "etc/claude-code/managed-settings.d/x.json", '\ufeff{"a": {}, "disable\\u0041llHooks": true}'],
  ["claude", "Library/Application Support/ClaudeCode/managed-settings.d/x.json", '{"disableAllHooks":true}'],
  ["codex", "etc/codex/requirements.toml", "allow_managed_hooks_only = true\n"],
  ["codex", "etc/codex/managed_config.toml", "features = { hooks = false }\n"],
  ["copilot", "etc/github-copilot/managed-settings.json", '{"allowManagedHooksOnly":true}'],
  ["copilot", "etc/github-copilot/managed-settings.json", '{"disable_all_hooks":true}'],
];

test.each(MANAGED)("an administrator's switch of %s is named first", (agent, path, text) => {
  const folder = home({ [path]: text });
  expect(checkSwitches(agent, { HOME: folder }, folder)).toEqual({
    id: `switches.${agent}`,
    status: "warn",
    summary: `/${path} blocks user hooks, so guarded launches refuse to start`,
    fix: "ask the administrator of this machine to allow user hooks",
  });
});

test.each(MANAGED)("an administrator's switch of %s stops a guarded launch", (agent, path, text) => {
  expect(() => refuseManaged(managedSwitch(agent, home({ [path]: text })))).toThrow(
    "managed settings would disable the guard",
  );
});

const UNREAD = [
  ["are no JSON", "not json"],
  ["are cut", "{"],
  ["are a list", "[]"],
  ["go on behind their end", '{"a":1}\n{"disableAllHooks":true}'],
  ["are too large", `{"a":"${"x".repeat(5_000_000)}"}`],
] as const;

test.each(UNREAD)("managed settings of Claude Code that %s stop a guarded launch", (_, text) => {
  for (const name of ["managed-settings.json", "managed-settings.d/x.json"]) {
    const folder = home({ [`etc/claude-code/${name}`]: text });
    expect(() => refuseManaged(managedSwitch("claude", folder))).toThrow("managed settings cannot be read");
    expect(checkSwitches("claude", { HOME: folder }, folder)).toMatchObject({
      status: "warn",
      summary: `/etc/claude-code/${name} cannot be read, so guarded launches refuse to start`,
    });
  }
});

test("a folder of managed settings that cannot be listed, and a link in it that leads nowhere, stop a launch too", () => {
  const looping = home({ "etc/claude-code/x": "" });
  symlinkSync("managed-settings.d", join(looping, "etc/claude-code/managed-settings.d"));
  expect(() => refuseManaged(managedSwitch("claude", looping))).toThrow("managed settings cannot be read");
  const leading = home({ "etc/claude-code/managed-settings.d/a.json": "{}" });
  symlinkSync("nowhere", join(leading, "etc/claude-code/managed-settings.d/b.json"));
  expect(() => refuseManaged(managedSwitch("claude", leading))).toThrow("managed settings cannot be read");
});

test("managed settings that leave hooks alone stop nothing", () => {
  const folder = home({
    "etc/claude-code/managed-settings.json": "",
    "etc/claude-code/managed-settings.d/a.json": '{"disableAllHooks":false,"model":"x"}',
    "etc/claude-code/managed-settings.d/notes.txt": '"disableAllHooks": true',
    "etc/claude-code/managed-settings.d/folder.json/x": "",
  });
  expect(() => refuseManaged(managedSwitch("claude", folder))).not.toThrow();
});
