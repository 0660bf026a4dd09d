import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isRecord } from "../lib/json/json-value.ts";
import { signalbox } from "../../test/support/run-signalbox.ts";
import { tempFolder, tempRepository } from "../../test/support/temp-folder.ts";
import { onlyStaged } from "./only-staged.ts";

const WRAPPER = ".claude/hooks/signalbox";

async function staged(...flags: string[]) {
  const [root, HOME] = [tempRepository(), tempFolder()];
  const outcome = await signalbox(["stage", "claude", ...flags], { cwd: root, env: { HOME } });
  expect(outcome.code).toBe(0);
  const path = join(root, ".claude/settings.json");
  const text = readFileSync(path, "utf8");
  const settings: unknown = JSON.parse(text);
  if (!isRecord(settings) || !isRecord(settings["hooks"])) throw new Error("nothing was staged");
  const home = join(tempFolder(), "of-somebody-else");
  const look = (now = text, folders: readonly string[] = [root]) => onlyStaged(folders, home, {})(path, now);
  return { root, path, text, settings, hooks: settings["hooks"], look };
}

test("what stage wrote is ours on every machine, in whatever order and with whatever spaces", async () => {
  const { settings, hooks, look } = await staged();
  const turned = { ...settings, hooks: Object.fromEntries(Object.entries(hooks).toReversed()) };
  expect([look(), look(JSON.stringify(settings)), look(JSON.stringify(turned, null, 7))]).toEqual([true, true, true]);
});

test("so is what stage --required wrote, and a wrapper that remembers hooks of the repository", async () => {
  const required = await staged("--required");
  expect(required.look()).toBe(true);
  const { root, look } = await staged();
  mkdirSync(join(root, ".signalbox/hooks"), { recursive: true });
  writeFileSync(join(root, ".signalbox/hooks/tool-before"), "#!/bin/sh\n", { mode: 0o755 });
  expect(look()).toBe(false);
  expect((await signalbox(["stage", "claude"], { cwd: root, env: { HOME: tempFolder() } })).code).toBe(0);
  expect(look()).toBe(true);
});

test("one more or one less of anything is not ours", async () => {
  const { settings, hooks, text, look } = await staged();
  const extra = { hooks: [{ type: "command", command: "evil" }] };
  const [first = ["", []]] = Object.entries(hooks);
  const groups: readonly unknown[] = Array.isArray(first[1]) ? first[1] : [];
  const changed = [
    { ...settings, env: { SIGNALBOX_HOME: "/evil" } },
    { ...settings, enableAllProjectMcpServers: true },
    { ...settings, permissions: {} },
    { hooks: { ...hooks, PostToolUseFailure: [extra] } },
    { hooks: { ...hooks, [first[0]]: [...groups, extra] } },
    { hooks: { ...hooks, [first[0]]: [...groups, ...groups] } },
    { hooks: Object.fromEntries(Object.entries(hooks).slice(1)) },
    { hooks: {} },
    {},
    [settings],
  ];
  expect(changed.map((value) => look(JSON.stringify(value)))).toEqual(changed.map(() => false));
  const texts = [
    text.replace("signalbox tool-before", "signalbox tool-before; evil"),
    text.replace("signalbox tool-before", "../../evil tool-before"),
    text.replace('"timeout": 60', '"timeout": 61'),
    text.replace('"hooks"', '"hooks": {}, "hooks"'),
    text.replace('"hooks"', '"hooks": {}, "\\u0068ooks"'),
    text.replace('"hooks"', '"__proto__": {"env": {"A": "1"}}, "hooks"'),
    `${text}// and more`,
    `\uFEFF${text}`,
    "",
  ];
  expect(texts.map((now) => [now === text, look(now)])).toEqual(texts.map(() => [false, false]));
});

test("settings that are ours with a wrapper that is not, or that is a link, are not", async () => {
  const { root, look } = await staged();
  const wrapper = join(root, WRAPPER);
  const own = readFileSync(wrapper, "utf8");
  writeFileSync(wrapper, own.replace("input=$(cat", "evil; input=$(cat"));
  expect(look()).toBe(false);
  rmSync(wrapper);
  expect(look()).toBe(false);
  writeFileSync(join(root, "copy"), own, { mode: 0o755 });
  symlinkSync("../../copy", wrapper);
  expect(look()).toBe(false);
  rmSync(wrapper);
  writeFileSync(wrapper, own, { mode: 0o755 });
  expect(look()).toBe(true);
  renameSync(join(root, ".claude"), join(root, "elsewhere"));
  symlinkSync("elsewhere", join(root, ".claude"));
  expect(look()).toBe(false);
});

test("a wrapper in another folder that Claude Code might call must be ours too", async () => {
  const { root, look } = await staged();
  const below = join(root, "below");
  mkdirSync(join(below, ".claude/hooks"), { recursive: true });
  expect(look(undefined, [root, below])).toBe(true);
  writeFileSync(join(below, WRAPPER), "#!/bin/sh\nevil\n", { mode: 0o755 });
  expect(look(undefined, [root, below])).toBe(false);
});

test("no other file is ever ours", async () => {
  const { root, text } = await staged();
  const place = { folders: [root], home: tempFolder(), env: {} };
  for (const name of [".claude/settings.local.json", ".mcp.json", "other/settings.json"]) {
    mkdirSync(join(root, "other"), { recursive: true });
    writeFileSync(join(root, name), text);
    expect(onlyStaged(place.folders, place.home, place.env)(join(root, name), text)).toBe(false);
  }
});

const PLAIN = "---\nname: owl\ndescription: d\ntools: Read\n---\nLook at @src.\n";

test.each([
  ["plain text that stage would write", ".claude/agents/owl.md", PLAIN, PLAIN, true],
  ["a text in a sub-folder", ".claude/agents/a/owl.md", PLAIN, PLAIN, true],
  ["a text that differs from its source", ".claude/agents/owl.md", PLAIN, `${PLAIN}More.\n`, false],
  ["a text without a source", ".claude/agents/owl.md", undefined, PLAIN, false],
  ["hooks in the front matter", ".claude/agents/owl.md", "---\ndescription: d\nhooks: {}\n---\nx\n", undefined, false],
  ["a permission that it grants", ".claude/commands/c.md", "---\nallowed-tools: Bash\n---\nx\n", undefined, false],
  ["a command that runs by itself", ".claude/commands/c.md", "See !`touch x`\n", undefined, false],
  ["such a command in a fence", ".claude/commands/c.md", "```!\ntouch x\n```\n", undefined, false],
])("%s: is it ours?", (_, path, source, text, expected) => {
  const root = tempRepository();
  const write = (name: string, content: string) => {
    mkdirSync(join(root, name, ".."), { recursive: true });
    writeFileSync(join(root, name), content);
  };
  if (source !== undefined) write(path.replace(".claude", ".signalbox"), source);
  write(path, text ?? source ?? "");
  const place = { folders: [root], home: tempFolder(), env: {} };
  expect(onlyStaged(place.folders, place.home, place.env)(join(root, path), text ?? source ?? "")).toBe(expected);
});

test("a link to a staged text is not ours", () => {
  const root = tempRepository();
  mkdirSync(join(root, ".signalbox/agents"), { recursive: true });
  mkdirSync(join(root, ".claude/agents"), { recursive: true });
  writeFileSync(join(root, ".signalbox/agents/owl.md"), PLAIN);
  symlinkSync("../../.signalbox/agents/owl.md", join(root, ".claude/agents/owl.md"));
  const place = { folders: [root], home: tempFolder(), env: {} };
  expect(onlyStaged(place.folders, place.home, place.env)(join(root, ".claude/agents/owl.md"), PLAIN)).toBe(false);
});

test.each([
  ["license: MIT\nauthor: me\nversion: 1", true],
  ["hooks:\n  Stop: []", false],
])("a staged skill with %j is taken for ours as long as it is only text", async (fields, expected) => {
  const [root, HOME] = [tempRepository(), tempFolder()];
  const source = join(root, ".signalbox/skills/help");
  mkdirSync(source, { recursive: true });
  writeFileSync(join(source, "SKILL.md"), `---\nname: help\ndescription: Helps.\n${fields}\n---\nDo it.\n`);
  expect((await signalbox(["stage", "claude"], { cwd: root, env: { HOME } })).code).toBe(0);
  const path = join(root, ".claude/skills/help/SKILL.md");
  const text = readFileSync(path, "utf8");
  expect(onlyStaged([root], HOME, {})(path, text)).toBe(expected);
  expect(onlyStaged([root], HOME, {})(path, `${text}More.\n`)).toBe(false);
});
