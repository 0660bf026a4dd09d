import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder, tempRepository } from "../../../test/support/temp-folder.ts";
import { ownServers } from "./settings.ts";

const MINE = { type: "stdio", command: "node", args: ["server.js"], env: { KEY: "value" } };

function homeWith(project: string, servers: object = { mine: MINE }, more: object = {}): string {
  const home = tempFolder();
  write(join(home, ".claude.json"), { projects: { [project]: { mcpServers: servers, ...more } } });
  return home;
}

function write(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(value));
}

const look = (cwd: string, env: NodeJS.ProcessEnv, workspace = cwd) => ownServers(cwd, env, workspace);

test("servers of the project are found from its top, from below, and from a folder without a repository", () => {
  const [repository, plain] = [tempRepository(), tempFolder()];
  mkdirSync(join(repository, "below"));
  const HOME = homeWith(repository);
  expect(look(repository, { HOME })).toEqual({ mine: MINE });
  expect(look(join(repository, "below"), { HOME })).toEqual({ mine: MINE });
  expect(look(plain, { HOME: homeWith(plain) })).toEqual({ mine: MINE });
  expect(look(plain, { HOME })).toEqual({});
});

test("servers that the person has switched off stay off", () => {
  const repository = tempRepository();
  const HOME = homeWith(repository, { mine: MINE, other: MINE }, { disabledMcpServers: ["other"] });
  expect(look(repository, { HOME })).toEqual({ mine: MINE });
});

test("a linked work tree has the servers of the main one, and one that only claims to be linked has not", () => {
  const [repository, strange] = [tempRepository(), tempFolder()];
  const identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
  execFileSync("git", ["-C", repository, ...identity, "commit", "-q", "--allow-empty", "-m", "first"]);
  const linked = join(tempFolder(), "linked");
  execFileSync("git", ["-C", repository, "worktree", "add", "-q", linked]);
  const HOME = homeWith(repository);
  expect(look(linked, { HOME })).toEqual({ mine: MINE });
  for (const target of [".git", ".git/worktrees/linked"]) {
    writeFileSync(join(strange, ".git"), `gitdir: ${join(repository, target)}\n`);
    expect(look(strange, { HOME })).toEqual({});
  }
});

test("the folder that CLAUDE_CONFIG_DIR names and the older file are read as Claude Code reads them", () => {
  const repository = tempRepository();
  const other = homeWith(repository, { other: MINE });
  const HOME = homeWith(repository);
  expect(look(repository, { HOME, CLAUDE_CONFIG_DIR: other })).toEqual({ other: MINE });
  expect(look(repository, { HOME, CLAUDE_CONFIG_DIR: "" })).toEqual({ mine: MINE });
  write(join(HOME, ".claude/.config.json"), { projects: { [repository]: { mcpServers: { older: MINE } } } });
  expect(look(repository, { HOME })).toEqual({ older: MINE });
});

test("a file inside the workspace, a broken one and none at all give no servers", () => {
  const repository = tempRepository();
  write(join(repository, "config/.claude.json"), { projects: { [repository]: { mcpServers: { planted: MINE } } } });
  const HOME = tempFolder();
  expect(look(repository, { HOME, CLAUDE_CONFIG_DIR: join(repository, "config") })).toEqual({});
  expect(look(repository, { HOME, CLAUDE_CONFIG_DIR: "config" })).toEqual({});
  expect(look(repository, { HOME })).toEqual({});
  for (const text of [
    "{",
    "[]",
    '{"projects":[]}',
    JSON.stringify({ projects: { [repository]: { mcpServers: [] } } }),
  ]) {
    writeFileSync(join(HOME, ".claude.json"), text);
    expect(look(repository, { HOME })).toEqual({});
  }
});
