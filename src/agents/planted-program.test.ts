import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder, tempRepository } from "../../test/support/temp-folder.ts";
import { claude } from "./claude/program.ts";
import { findBinary } from "./find-binary.ts";

const agent = { ...claude, knownPlaces: ["~/.local/bin"] };

function program(folder: string, name: string, head = "#!/bin/sh"): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `${head}\n`, { mode: 0o755 });
  return join(folder, name);
}

const refusal = (path: string) =>
  expect.objectContaining({
    exitCode: 3,
    message: "Claude Code: will not start a program inside the workspace as the agent",
    where: path,
    fix: `if that is intended, set SIGNALBOX_CLAUDE_BINARY to it; otherwise install the agent elsewhere: ${claude.install}`,
  });
const passed = (path: string) => `skipped ${path}: it is inside the workspace and could come with the repository`;

test("an agent inside the workspace is skipped for one outside, and refused when there is no other", () => {
  const [workspace, outside] = [tempRepository(), tempFolder()];
  const planted = program(join(workspace, "node_modules/.bin"), "claude");
  const folder = join(workspace, "node_modules/.bin");
  mkdirSync(join(workspace, "deep/er"), { recursive: true });
  for (const cwd of [workspace, join(workspace, "deep/er"), join(workspace, "node_modules/.bin")])
    expect(() => findBinary(agent, { PATH: folder }, [cwd])).toThrowError(refusal(planted));
  const real = program(outside, "claude");
  const found = findBinary(agent, { PATH: `${folder}:${outside}` }, [workspace]);
  expect(found).toEqual({ path: real, real, from: "PATH", words: [real], warnings: [passed(planted)] });
});

test("the explicit setting may name a program inside the workspace", () => {
  const workspace = tempRepository();
  const meant = program(workspace, "claude", "#!/usr/bin/env node");
  program(workspace, "node");
  const found = findBinary(agent, { SIGNALBOX_CLAUDE_BINARY: meant, PATH: workspace }, [workspace]);
  expect(found).toEqual({ path: meant, real: meant, from: "setting", words: [meant], warnings: [] });
});

test("links do not hide where a program lies: into the workspace, out of it, through it, or as a folder", () => {
  const [workspace, outside, far] = [tempRepository(), tempFolder(), tempFolder()];
  program(workspace, "claude");
  program(far, "claude");
  symlinkSync(join(workspace, "claude"), join(outside, "claude"));
  expect(() => findBinary(agent, { PATH: outside }, [workspace])).toThrowError(refusal(join(outside, "claude")));
  symlinkSync(workspace, join(outside, "folder"));
  const throughFolder = join(outside, "folder/claude");
  expect(() => findBinary(agent, { PATH: join(outside, "folder") }, [workspace])).toThrowError(refusal(throughFolder));
  mkdirSync(join(workspace, "bin"));
  symlinkSync(join(far, "claude"), join(workspace, "bin/claude"));
  const outOf = join(workspace, "bin/claude");
  expect(() => findBinary(agent, { PATH: join(workspace, "bin") }, [workspace])).toThrowError(refusal(outOf));
  symlinkSync(far, join(workspace, "away"));
  symlinkSync(join(workspace, "away"), join(outside, "round"));
  const round = join(outside, "round/claude");
  expect(() => findBinary(agent, { PATH: join(outside, "round") }, [workspace])).toThrowError(refusal(round));
});

test("a linked folder as the place of work is judged by where it leads", () => {
  const [workspace, outside] = [tempRepository(), tempFolder()];
  const planted = program(workspace, "claude");
  symlinkSync(workspace, join(outside, "work"));
  expect(() => findBinary(agent, { PATH: workspace }, [join(outside, "work")])).toThrowError(refusal(planted));
});

test("the repository around a nested one, the main work tree, and every further place of work count too", () => {
  const [workspace, other] = [tempRepository(), tempRepository()];
  const planted = program(join(workspace, "bin"), "claude");
  execFileSync("git", ["init", "-q", join(workspace, "inner")]);
  const env = { PATH: join(workspace, "bin") };
  expect(() => findBinary(agent, env, [join(workspace, "inner")])).toThrowError(refusal(planted));
  expect(() => findBinary(agent, env, [other, workspace])).toThrowError(refusal(planted));
  const git = (...words: string[]) =>
    execFileSync("git", ["-C", workspace, ...words], { env: { ...process.env, ...WHO } });
  git("commit", "-q", "--allow-empty", "-m", "first");
  const linked = join(tempFolder(), "linked");
  git("worktree", "add", "-q", linked);
  expect(() => findBinary(agent, env, [linked])).toThrowError(refusal(planted));
});

const WHO = {
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.com",
};

test("a home without a repository is not a workspace, and one that is a repository is, unless a project lies in it", () => {
  const home = tempFolder();
  const path = program(join(home, ".local/bin"), "claude");
  mkdirSync(join(home, ".signalbox"));
  mkdirSync(join(home, "notes"));
  writeFileSync(join(home, ".signalbox/policy.yaml"), "version: 1\n");
  for (const cwd of [home, join(home, "notes"), "/", "/usr/bin"])
    expect(findBinary(agent, { HOME: home }, [cwd]).path).toBe(path);
  execFileSync("git", ["init", "-q", home]);
  expect(() => findBinary(agent, { HOME: home }, [home])).toThrowError(refusal(path));
  execFileSync("git", ["init", "-q", join(home, "notes")]);
  expect(findBinary(agent, { HOME: home }, [join(home, "notes")]).path).toBe(path);
});

test("a place of work that is gone holds no program", () => {
  const [outside, gone] = [tempFolder(), join(tempFolder(), "gone")];
  const path = program(outside, "claude");
  expect(findBinary(agent, { PATH: outside }, [gone]).path).toBe(path);
});

test("a script that asks for its interpreter by name gets the one outside the workspace", () => {
  const [workspace, outside, further] = [tempRepository(), tempFolder(), tempFolder()];
  const planted = program(workspace, "node");
  const script = program(outside, "claude", "#!/usr/bin/env node");
  const node = program(further, "node");
  const warnings = [passed(planted)];
  const both = { PATH: `${workspace}:${outside}:${further}` };
  expect(findBinary(agent, both, [workspace])).toMatchObject({ words: [node, script], warnings });
  program(outside, "claude", "#!/usr/bin/env -S node --no-warnings");
  expect(findBinary(agent, both, [workspace]).words).toEqual([node, "--no-warnings", script]);
  const harmless = { PATH: `${outside}:${further}:${workspace}` };
  expect(findBinary(agent, harmless, [workspace])).toMatchObject({ words: [script], warnings: [] });
});

test("an empty or relative entry of PATH means the place of work for an interpreter, and is passed over", () => {
  const [workspace, outside] = [tempRepository(), tempFolder()];
  const [script, node] = [program(outside, "claude", "#!/usr/bin/env node"), program(outside, "node")];
  program(workspace, "node");
  program(join(workspace, "bin"), "node");
  for (const entry of ["", ".", "bin"])
    expect(findBinary(agent, { PATH: `${entry}:${outside}` }, [workspace]).words).toEqual([node, script]);
});

test("the interpreter of an interpreter is looked at too", () => {
  const [workspace, outside] = [tempRepository(), tempFolder()];
  const script = program(outside, "claude", "#!/usr/bin/env node");
  const shim = program(outside, "node", "#!/usr/bin/env bash");
  const bash = program(outside, "bash");
  program(workspace, "bash");
  const found = findBinary(agent, { PATH: `${workspace}:${outside}` }, [workspace]);
  expect(found.words).toEqual([bash, shim, script]);
});

test("a script whose only interpreter lies inside the workspace is refused", () => {
  const [workspace, outside] = [tempRepository(), tempFolder()];
  const planted = program(workspace, "node");
  const script = program(outside, "claude", "#!/usr/bin/env node");
  const env = { PATH: `${workspace}:${outside}` };
  const refused = expect.objectContaining({
    exitCode: 3,
    message: "Claude Code: its interpreter is inside the workspace",
    where: `${planted}, for ${script}`,
    fix: "remove that folder from PATH, or install the interpreter outside the workspace",
  });
  expect(() => findBinary(agent, env, [workspace])).toThrowError(refused);
  expect(() => findBinary(agent, { ...env, SIGNALBOX_CLAUDE_BINARY: script }, [workspace])).toThrowError(refused);
  program(outside, "claude", `#!${planted}`);
  expect(() => findBinary(agent, env, [workspace])).toThrowError(refused);
});
