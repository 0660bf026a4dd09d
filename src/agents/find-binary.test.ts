import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PROJECT } from "../../test/support/run-signalbox.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { claude } from "./claude/program.ts";
import { copilot } from "./copilot/program.ts";
import type { Agent } from "./pack/agent.ts";
import { findBinary as findIn } from "./find-binary.ts";

function program(folder: string, name: string, mode = 0o755): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, "#!/bin/sh\n");
  chmodSync(path, mode);
  return path;
}

const failing = (exitCode: number, message: string) => expect.objectContaining({ exitCode, message });
/** Started in a folder that contains none of the programs. */
const findBinary = (agent: Agent, env: NodeJS.ProcessEnv) => findIn(agent, env, [PROJECT]);
const plain = (path: string, from: string) => ({ path, real: path, from, words: [path], warnings: [] });
const isolated = { ...claude, knownPlaces: ["~/.local/bin"] };

test("the setting wins over PATH, PATH over the known places", () => {
  const [first, second, home] = [tempFolder(), tempFolder(), tempFolder()];
  const set = program(first, "other-name");
  const onPath = program(second, "claude");
  const known = program(join(home, ".local/bin"), "claude");
  const env = { SIGNALBOX_CLAUDE_BINARY: set, PATH: second, HOME: home };
  expect(findBinary(isolated, env)).toEqual(plain(set, "setting"));
  expect(findBinary(isolated, { ...env, SIGNALBOX_CLAUDE_BINARY: "" })).toEqual(plain(onPath, "PATH"));
  expect(findBinary(isolated, { HOME: home })).toEqual(plain(known, "known place"));
});

test("a missing agent says where it was looked for and how to install it", () => {
  expect(() => findBinary(isolated, { PATH: "/nonexistent", HOME: "relative" })).toThrowError(
    expect.objectContaining({
      exitCode: 127,
      message: "Claude Code is not installed: no 'claude' was found",
      where: "SIGNALBOX_CLAUDE_BINARY (not set), PATH (1 folders), ~/.local/bin",
      fix: "npm install -g @anthropic-ai/claude-code; or set SIGNALBOX_CLAUDE_BINARY to its path",
    }),
  );
});

test("a setting that does not hold is an error, never the next place", () => {
  const folder = tempFolder();
  program(folder, "claude");
  const missing = { SIGNALBOX_CLAUDE_BINARY: join(folder, "nothing"), PATH: folder };
  const relative = { SIGNALBOX_CLAUDE_BINARY: "./claude", PATH: folder };
  expect(() => findBinary(isolated, missing)).toThrowError(failing(127, "Claude Code: no such program"));
  expect(() => findBinary(isolated, relative)).toThrowError(
    failing(126, "Claude Code: it is not set to an absolute path"),
  );
});

test("relative and empty entries of PATH are not looked at", () => {
  expect(() => findBinary(isolated, { PATH: ":.:bin" })).toThrowError(
    failing(127, "Claude Code is not installed: no 'claude' was found"),
  );
});

test("a file that is not executable is skipped for one that is, and named when it is the only one", () => {
  const [first, second] = [tempFolder(), tempFolder()];
  program(first, "claude", 0o644);
  expect(() => findBinary(isolated, { PATH: first })).toThrowError(
    failing(126, "Claude Code: the program is not executable"),
  );
  const runnable = program(second, "claude");
  expect(findBinary(isolated, { PATH: `${first}:${second}` }).path).toBe(runnable);
});

test.each([
  ["an empty file", ""],
  ["a text without a first line that names an interpreter", "echo hello\n"],
  ["a first line that names nothing", "#!\necho hello\n"],
  ["the beginning of a program", "\x7fELF\x02\x01"],
])("%s is not a program, though the shell would run it", (_, text) => {
  const folder = tempFolder();
  writeFileSync(program(folder, "claude"), Buffer.from(text, "latin1"));
  expect(() => findBinary(isolated, { PATH: folder })).toThrowError(
    failing(126, "Claude Code: not an executable program"),
  );
});

test("a program of the system's own form is one", () => {
  const folder = tempFolder();
  symlinkSync("/bin/sh", join(folder, "claude"));
  expect(findBinary(isolated, { PATH: folder }).path).toBe(join(folder, "claude"));
});

test("a setting that names a folder says so", () => {
  expect(() => findBinary(isolated, { SIGNALBOX_CLAUDE_BINARY: tempFolder() })).toThrowError(
    failing(126, "Claude Code: it is set to a folder"),
  );
});

test("a folder of that name is no program", () => {
  const folder = tempFolder();
  mkdirSync(join(folder, "claude"));
  expect(() => findBinary(isolated, { PATH: folder })).toThrowError(
    failing(127, "Claude Code is not installed: no 'claude' was found"),
  );
});

test("a program that anyone may change is refused, also behind a link, and so is its folder", () => {
  const [loose, linked, folder] = [tempFolder(), tempFolder(), tempFolder()];
  const path = program(loose, "claude", 0o757);
  symlinkSync(path, join(linked, "claude"));
  const message = `Claude Code: anyone on this machine can change ${path}`;
  expect(() => findBinary(isolated, { PATH: loose })).toThrowError(failing(126, message));
  expect(() => findBinary(isolated, { PATH: linked })).toThrowError(failing(126, message));
  program(join(folder, "open"), "claude");
  chmodSync(join(folder, "open"), 0o777);
  expect(() => findBinary(isolated, { PATH: join(folder, "open") })).toThrowError(
    failing(126, `Claude Code: anyone on this machine can change ${join(folder, "open")}`),
  );
});

test("our own shim is never taken for copilot, in its place or as a copy", () => {
  const [copied, real] = [tempFolder(), tempFolder()];
  copyFileSync(join(PROJECT, "shims/copilot"), join(copied, "copilot"));
  const path = program(real, "copilot");
  const found = findBinary(copilot, { PATH: `${join(PROJECT, "shims")}:${copied}:${real}` });
  expect(found.path).toBe(path);
  expect(() => findBinary(copilot, { SIGNALBOX_COPILOT_BINARY: join(copied, "copilot") })).toThrowError(
    failing(126, "GitHub Copilot CLI: this is signalbox's own shim"),
  );
});

test("a link in a folder that anyone may write, and a folder above that anyone may write, are refused", () => {
  const [real, open, above] = [tempFolder(), tempFolder(), tempFolder()];
  symlinkSync(program(real, "claude"), join(open, "claude"));
  chmodSync(open, 0o777);
  expect(() => findBinary(isolated, { PATH: open })).toThrowError(
    failing(126, `Claude Code: anyone on this machine can change ${open}`),
  );
  program(join(above, "loose/inner"), "claude");
  chmodSync(join(above, "loose"), 0o777);
  expect(() => findBinary(isolated, { PATH: join(above, "loose/inner") })).toThrowError(
    failing(126, `Claude Code: anyone on this machine can change ${join(above, "loose")}`),
  );
});
