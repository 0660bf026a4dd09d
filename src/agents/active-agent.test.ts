import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { asNobody } from "../../test/support/as-nobody.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { acceptAgentName, CONTEXT_FILE, resolveAgent } from "./active-agent.ts";

const now = new Date("2026-01-02T12:00:00Z");
const fresh = { launcher: "claude", timestamp: "2026-01-02T11:00:00Z" };
const fromFile = { agent: "claude", source: "file", warnings: [] };
const byDefault = { agent: "copilot", source: "default", warnings: [] };

function writeContext(folder: string, content: unknown): string {
  const path = join(folder, CONTEXT_FILE);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

const ignored = (folder: string, reason: string) => ({
  ...byDefault,
  warnings: [`${join(folder, CONTEXT_FILE)} is ignored: ${reason}`],
});

test.each([
  ["claude", "claude"],
  ["  Claude  ", "claude"],
  ["CODEX", "codex"],
  ["native", "native"],
])("the name %j is accepted", (raw, agent) => {
  expect(acceptAgentName(raw)).toEqual({ agent });
});

test.each([
  ["/bin/claude", "it contains a path"],
  ["..\\claude", "it contains a path"],
  ["claude..", "it contains a path"],
  ["claude\n", "it contains a control character"],
  ["claude\0", "it contains a control character"],
  ["\tclaude", "it contains a control character"],
  ["claude\u0085", "it contains a control character"],
  ["cla ude", "it contains white space"],
  ["c".repeat(33), "it is longer than 32 characters"],
  ["c".repeat(32), "it is not a known agent"],
  ["claude;rm", "it is not a known agent"],
  [" ", "it is not a known agent"],
  ["clаude", "it is not a known agent"],
])("the name %j is rejected", (raw, reason) => {
  expect(acceptAgentName(raw)).toEqual({ reason });
});

test("our own variable wins over the ancestor's, and both over the file", () => {
  const folder = tempFolder();
  writeContext(folder, fresh);
  const env = { SIGNALBOX_AGENT: "codex", AMPLIHACK_AGENT_BINARY: "amplifier" };
  expect(resolveAgent(folder, env, now)).toEqual({ agent: "codex", source: "env", warnings: [] });
  expect(resolveAgent(folder, { AMPLIHACK_AGENT_BINARY: "amplifier" }, now)).toEqual({
    agent: "amplifier",
    source: "env",
    warnings: [],
  });
});

test("rejected variables fall through, each with a warning that does not show the value", () => {
  const folder = tempFolder();
  writeContext(folder, fresh);
  const env = { SIGNALBOX_AGENT: "../secret", AMPLIHACK_AGENT_BINARY: "secret" };
  expect(resolveAgent(folder, env, now)).toEqual({
    agent: "claude",
    source: "file",
    warnings: [
      "SIGNALBOX_AGENT is ignored: it contains a path",
      "AMPLIHACK_AGENT_BINARY is ignored: it is not a known agent",
    ],
  });
});

test("an empty variable is an unset one", () => {
  expect(resolveAgent(tempFolder(), { SIGNALBOX_AGENT: "" }, now)).toEqual(byDefault);
});

test("the file is found from a nested folder and from behind a symbolic link", () => {
  const folder = tempFolder();
  writeContext(folder, fresh);
  const nested = join(folder, "a/b/c");
  mkdirSync(nested, { recursive: true });
  const link = join(tempFolder(), "link");
  symlinkSync(nested, link);
  expect(resolveAgent(nested, {}, now)).toEqual(fromFile);
  expect(resolveAgent(link, {}, now)).toEqual(fromFile);
});

test("the walk ends at a repository, after looking at its top", () => {
  const outer = tempFolder();
  writeContext(outer, fresh);
  const inner = join(outer, "inner");
  mkdirSync(join(inner, "src"), { recursive: true });
  writeFileSync(join(inner, ".git"), "gitdir: elsewhere\n");
  expect(resolveAgent(join(inner, "src"), {}, now)).toEqual(byDefault);
  writeContext(inner, { ...fresh, launcher: "codex" });
  expect(resolveAgent(join(inner, "src"), {}, now)).toEqual({ agent: "codex", source: "file", warnings: [] });
});

test("a file that is not valid still ends the walk", () => {
  const outer = tempFolder();
  writeContext(outer, fresh);
  const inner = join(outer, "inner");
  writeContext(inner, "{");
  expect(resolveAgent(inner, {}, now)).toEqual(ignored(inner, "it is not valid JSON"));
});

test("at most 32 folders are looked at, the first included", () => {
  const folder = tempFolder();
  writeContext(folder, fresh);
  const below = (depth: number) => join(folder, ...Array.from({ length: depth }, () => "d"));
  mkdirSync(below(32), { recursive: true });
  expect(resolveAgent(below(31), {}, now)).toEqual(fromFile);
  expect(resolveAgent(below(32), {}, now)).toEqual(byDefault);
});

test.each([
  ["is half-written", '{"launcher": "cla', "it is not valid JSON"],
  ["is empty", "", "it is not valid JSON"],
  ["is a list", "[]", "it is not a JSON object"],
  ["is a string", '"claude"', "it is not a JSON object"],
  ["names no launcher", "{}", "it has no launcher"],
  ["names a number", '{"launcher":7}', "it has no launcher"],
  ["names a path", { ...fresh, launcher: "/bin/sh" }, "it contains a path"],
  [
    "is nested 9 deep",
    `{"launcher":"claude","a":${"[".repeat(8)}${"]".repeat(8)}}`,
    "it is nested more than 8 levels deep",
  ],
  ["is nested a million deep", "[".repeat(60_000), "it is nested more than 8 levels deep"],
  ["is larger than 64 KiB", `{"launcher":"claude","a":"${"x".repeat(65_536)}"}`, "it is larger than 65536 bytes"],
  ["is older than a day", { ...fresh, timestamp: "2026-01-01T11:59:59Z" }, "it is older than 24 hours"],
  ["comes from the future", { ...fresh, timestamp: "2026-01-02T12:05:01Z" }, "it is dated in the future"],
])("a file that %s is ignored with one warning", (_, content, reason) => {
  const folder = tempFolder();
  writeContext(folder, content);
  expect(resolveAgent(folder, {}, now)).toEqual(ignored(folder, reason));
});

test.each([
  ["is exactly a day old", { ...fresh, timestamp: "2026-01-01T12:00:00Z" }],
  ["is five minutes ahead", { ...fresh, timestamp: "2026-01-02T12:05:00.000Z" }],
  ["has another time zone", { ...fresh, timestamp: "2026-01-02T16:00:00+05:00" }],
  ["is nested 8 deep", `{"launcher":"claude","timestamp":"2026-01-02T11:00:00Z","a":${"[".repeat(7)}${"]".repeat(7)}}`],
  ["holds brackets in strings", { ...fresh, note: "[".repeat(100) }],
  ["has unknown fields", { ...fresh, launcher: " Claude ", other: { deep: [1] } }],
])("a file that %s is believed", (_, content) => {
  const folder = tempFolder();
  writeContext(folder, content);
  expect(resolveAgent(folder, {}, now)).toEqual(fromFile);
});

test("a file of exactly 65,536 bytes is believed", () => {
  const folder = tempFolder();
  const head = JSON.stringify(fresh).slice(0, -1);
  const filler = 65_536 - head.length - ',"a":""}'.length;
  writeContext(folder, `${head},"a":"${"x".repeat(filler)}"}`);
  expect(resolveAgent(folder, {}, now)).toEqual(fromFile);
});

test("without a valid timestamp the file's own time counts", () => {
  const folder = tempFolder();
  const path = writeContext(folder, { launcher: "claude", timestamp: "yesterday" });
  utimesSync(path, now, now);
  expect(resolveAgent(folder, {}, now)).toEqual(fromFile);
  utimesSync(path, now, new Date("2025-12-31T00:00:00Z"));
  expect(resolveAgent(folder, {}, now)).toEqual(ignored(folder, "it is older than 24 hours"));
});

test("a folder, a FIFO and bytes that are no text are ignored without waiting", () => {
  const [folder, fifo, binary] = [tempFolder(), tempFolder(), tempFolder()];
  mkdirSync(join(folder, CONTEXT_FILE), { recursive: true });
  mkdirSync(dirname(join(fifo, CONTEXT_FILE)), { recursive: true });
  execFileSync("mkfifo", [join(fifo, CONTEXT_FILE)]);
  writeFileSync(writeContext(binary, ""), Buffer.from([0x7b, 0xff, 0xfe]));
  expect(resolveAgent(folder, {}, now)).toEqual(ignored(folder, "it is not a regular file"));
  expect(resolveAgent(fifo, {}, now)).toEqual(ignored(fifo, "it is not a regular file"));
  expect(resolveAgent(binary, {}, now)).toEqual(ignored(binary, "it is not valid UTF-8"));
});

test("a link out of the folder is ignored, also when .claude itself is the link, and a dangling one too", () => {
  const elsewhere = tempFolder();
  const target = writeContext(elsewhere, fresh);
  const [file, folder, dangling] = [tempFolder(), tempFolder(), tempFolder()];
  for (const made of [file, dangling]) mkdirSync(dirname(join(made, CONTEXT_FILE)), { recursive: true });
  symlinkSync(target, join(file, CONTEXT_FILE));
  symlinkSync(join(elsewhere, ".claude"), join(folder, ".claude"));
  symlinkSync(join(dangling, "nowhere"), join(dangling, CONTEXT_FILE));
  expect(resolveAgent(file, {}, now)).toEqual(ignored(file, "it is a link out of its folder"));
  expect(resolveAgent(folder, {}, now)).toEqual(ignored(folder, "it is a link out of its folder"));
  expect(resolveAgent(dangling, {}, now)).toEqual(ignored(dangling, "it cannot be read (ENOENT)"));
});

test("an unreadable file is ignored with a warning", () => {
  const folder = tempFolder();
  chmodSync(folder, 0o755);
  chmodSync(writeContext(folder, fresh), 0o000);
  expect(asNobody(() => resolveAgent(folder, {}, now))).toEqual(ignored(folder, "it cannot be read (EACCES)"));
});

test("a folder that does not exist gives the default", () => {
  expect(resolveAgent("/nonexistent/folder", {}, now)).toEqual(byDefault);
});
