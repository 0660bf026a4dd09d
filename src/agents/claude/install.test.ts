import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder, tempRepository } from "../../../test/support/temp-folder.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { claudeInstall, claudeShell } from "./install.ts";

interface Start {
  readonly workspace: string;
  readonly cwd?: string;
  readonly flags?: readonly string[];
}

/** A fake that, like Claude Code, runs what its settings say at the start. */
const AGENT = `#!/bin/sh
exec '${process.execPath}' -e '
const { readFileSync } = require("node:fs");
const [{ command, args }] = JSON.parse(readFileSync(process.argv.at(-1), "utf8")).hooks.SessionStart[0].hooks;
require("node:child_process").spawnSync(command, args);
' -- "$@"
`;

/** The rules in the settings that Claude Code would get. */
const rulesOf = async (start: Start) => (await settingsOf(start))["permissions"];

async function settingsOf({ workspace, cwd = workspace, flags = [] }: Start) {
  const folder = tempFolder();
  const binary = write(join(tempFolder(), "claude"), AGENT);
  chmodSync(binary, 0o700);
  const places = { folder, home: tempFolder(), wrapper: "hook", binary, cwd, workspace };
  const rest = {
    env: {},
    interactive: false,
    warn: () => {},
    trusts: () => false,
    trusted: [],
    staged: () => false,
    mayRead: () => true,
  };
  await claudeInstall.install({ ...places, ...rest, flags });
  const settings: unknown = JSON.parse(readFileSync(join(folder, "claude-settings.json"), "utf8"));
  return isRecord(settings) ? settings : {};
}

function write(path: string, content: string | Buffer): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

const rules = (permissions: Readonly<Record<string, readonly unknown[]>>) => JSON.stringify({ permissions });

test("rules of a repository's settings hold from the folder of the start, and from their own", async () => {
  const workspace = tempRepository();
  const cwd = join(workspace, "sub");
  write(join(workspace, ".claude/settings.json"), rules({ deny: ["Read(/top.txt)", "Edit(./x)"] }));
  write(join(cwd, ".claude/settings.local.json"), rules({ ask: ["Write(/sub.txt)"], deny: ["Bash(/bin/x)", 5] }));
  expect(await rulesOf({ workspace, cwd })).toEqual({
    deny: [
      "Read(/top.txt)",
      `Read(/${cwd}/top.txt)`,
      `Read(/${workspace}/top.txt)`,
      "Edit(./x)",
      "Bash(/bin/x)",
      `Bash(/${cwd}/bin/x)`,
    ],
    ask: ["Write(/sub.txt)", `Write(/${cwd}/sub.txt)`],
  });
});

test("rules of the person's own --settings hold from the folder of the file, really and by its name", async () => {
  const workspace = tempRepository();
  const [own, other] = [tempFolder(), tempFolder()];
  write(join(own, "own.json"), rules({ deny: ["Read(/x)"] }));
  symlinkSync(join(own, "own.json"), join(other, "link.json"));
  const deny = ["Read(/x)", `Read(/${other}/x)`, `Read(/${own}/x)`];
  expect(await rulesOf({ workspace, flags: ["--settings", join(other, "link.json")] })).toEqual({ deny, ask: [] });
  const inline = await rulesOf({ workspace, flags: [`--settings=${rules({ deny: ["Read(/x)"] })}`] });
  expect(inline).toEqual({ deny: ["Read(/x)", `Read(/${workspace}/x)`], ask: [] });
});

test("no rule of one file takes a part out of the denials of another", async () => {
  const workspace = tempRepository();
  const own = rules({ deny: ["Read(*.txt)", "Read(!mine.txt)"], ask: ["Edit(x)", "Edit(!y)"] });
  const ask = ["Edit(x)", "Edit(!y)"];
  expect(await rulesOf({ workspace, flags: ["--settings", own] })).toEqual({
    deny: ["Read(*.txt)", "Read(!mine.txt)"],
    ask,
  });
  write(join(workspace, ".claude/settings.json"), rules({ deny: ["Read(*.txt)", "Read(./!secret.txt)", "Bash(!x)"] }));
  expect(await rulesOf({ workspace, flags: ["--settings", own] })).toEqual({ deny: ["Read(*.txt)", "Bash(!x)"], ask });
});

test.each([
  ["a byte order mark", (text: string) => Buffer.from(`\uFEFF${text}`)],
  ["two bytes for each letter", (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le")],
])("rules in settings with %s hold, as Claude Code reads them", async (_, encoded) => {
  const workspace = tempRepository();
  write(join(workspace, ".claude/settings.json"), encoded(rules({ deny: ["Bash(touch:*)"] })));
  const own = write(join(tempFolder(), "own.json"), encoded(rules({ ask: ["Edit"] })));
  expect(await rulesOf({ workspace, flags: ["--settings", own] })).toEqual({ deny: ["Bash(touch:*)"], ask: ["Edit"] });
});

test("the shell is the system's bash, whatever the person's own settings name", async () => {
  const chosen = JSON.stringify({ env: { CLAUDE_CODE_SHELL: "/bin/zsh", KEPT: "x" } });
  const { env } = await settingsOf({ workspace: tempRepository(), flags: ["--settings", chosen] });
  expect(env).toMatchObject({ CLAUDE_CODE_SHELL: claudeShell("/none"), KEPT: "x" });
  expect(claudeShell("/none")).toMatch(/^\/.*\/bash$/);
  expect(claudeShell("/")).toBeUndefined();
});

test("the shell is left alone where an administrator has chosen one", () => {
  const root = tempFolder();
  write(
    join(root, "etc/claude-code/managed-settings.json"),
    JSON.stringify({ env: { CLAUDE_CODE_SHELL: "/bin/zsh" } }),
  );
  expect(claudeShell("/none", root)).toBeUndefined();
});
