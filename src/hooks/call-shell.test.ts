import { appendFileSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { runningShell } from "../lib/text/shell-words.ts";
import { callShell } from "./judge-call.ts";
import { codexDialect as codex } from "../agents/codex/hooks.ts";
import type { ToolBefore } from "../contract/hook-event.ts";
import type { HookSettings } from "./hook-context.ts";

const settings = (agent: string, more: Partial<HookSettings> = {}): HookSettings => ({
  agent,
  folder: "/none",
  interactive: false,
  closed: [],
  switches: [],
  deniedTools: [],
  hooks: [],
  seal: "",
  ...more,
});

/** A line of a transcript, as Codex 0.166.0 writes it. */
const line = (call: string, given: object) =>
  `${JSON.stringify({
    timestamp: "2026-11-15T22:26:36.203Z",
    type: "response_item",
    payload: { type: "function_call", name: "exec_command", arguments: JSON.stringify(given), call_id: call },
  })}\n`;

function told(transcript: string | null, command = "ls"): ToolBefore {
  const event = codex.read("tool-before", {
    session_id: "s",
    tool_name: "Bash",
    tool_input: { command },
    tool_use_id: "call_1",
    transcript_path: transcript,
  });
  if (event.type !== "tool-before") throw new Error("another event");
  return event;
}

function transcript(...lines: readonly string[]): string {
  const file = join(tempFolder(), "rollout.jsonl");
  writeFileSync(file, lines.join(""));
  return file;
}

const inCodex = (file: string | null, command?: string) => callShell(told(file, command), settings("codex"));
const login = runningShell(basename(userInfo().shell ?? ""));

test.each([
  [{}, login],
  [{ login: false }, login],
  [{ shell: null }, login],
  [{ shell: "bash" }, "bash"],
  [{ shell: "/elsewhere/bash" }, "bash"],
  [{ shell: "sh", login: false }, "sh"],
  [{ shell: "zsh" }, "foreign"],
  [{ shell: "/bin/zsh" }, "foreign"],
  [{ shell: "fish" }, "foreign"],
  [{ shell: "tool.py" }, "foreign"],
  [{ shell: ["zsh"] }, "foreign"],
])("Codex runs a call with %j in %s", (given, shell) => {
  expect(
    inCodex(transcript(line("call_0", { cmd: "ls", shell: "zsh" }), line("call_1", { cmd: "ls", ...given }))),
  ).toBe(shell);
});

test("without a transcript, or when it has another command for the call, the shell is not known", () => {
  expect(inCodex(null)).toBe("any");
  expect(inCodex("/none")).toBe("any");
  expect(inCodex(transcript(line("call_2", { cmd: "ls" })))).toBe("any");
  expect(inCodex(transcript(line("call_1", { cmd: "id" })))).toBe("any");
  expect(inCodex(transcript(line("call_1", { cmd: "ls" }).slice(0, -20)))).toBe("any");
});

test("a call is found behind much that came after it, and when its own line is long", () => {
  const file = transcript(line("call_1", { cmd: "ls", shell: "zsh" }));
  appendFileSync(file, line("call_9", { cmd: "x".repeat(200_000) }));
  expect(inCodex(file)).toBe("foreign");
  const long = `echo ${"x".repeat(200_000)}`;
  expect(inCodex(transcript(line("call_1", { cmd: long, shell: "bash" })), long)).toBe("bash");
});

test("Copilot has bash, Claude Code only where the launch made it so, and others nobody knows", () => {
  const event: ToolBefore = { type: "tool-before", session: "s", tool: "Bash", input: { command: "ls" } };
  expect([
    callShell(event, settings("copilot")),
    callShell(event, settings("claude", { shell: "bash" })),
    callShell(event, settings("claude")),
    callShell(event, settings("plain")),
  ]).toEqual(["bash", "bash", "any", "any"]);
});

test("two calls of one id that name different shells are taken for neither", () => {
  const [zsh, bash] = [line("call_1", { cmd: "ls", shell: "zsh" }), line("call_1", { cmd: "ls", shell: "bash" })];
  expect([inCodex(transcript(bash)), inCodex(transcript(bash, bash))]).toEqual(["bash", "bash"]);
  const unknown = inCodex(null);
  expect(unknown).not.toBe("bash");
  expect([inCodex(transcript(zsh, bash)), inCodex(transcript(bash, zsh))]).toEqual([unknown, unknown]);
});
