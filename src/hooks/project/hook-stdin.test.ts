import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hookStdin } from "./hook-io.ts";

const fixture = (path: string) =>
  readFileSync(join(import.meta.dirname, "../../../test/fixtures/hooks", `${path}.json`), "utf8");

test.each(["claude/PreToolUse", "codex/PreToolUse", "claude/Stop", "copilot/sessionStart", "copilot/agentStop"])(
  "%s goes to a hook byte for byte",
  (path) => {
    expect(hookStdin(fixture(path))).toBe(fixture(path));
  },
);

test.each([
  ["copilot/preToolUse", "Bash"],
  ["copilot/preToolUse.view", "Read"],
  ["copilot/preToolUse.create", "Write"],
  ["copilot/preToolUse.edit", "Edit"],
  ["copilot/preToolUse.grep", "Grep"],
  ["copilot/preToolUse.demo-echo", "demo-echo"],
])("%s gets Claude Code's names beside its own", (path, tool) => {
  const sent: Record<string, unknown> = JSON.parse(fixture(path));
  const { toolArgs, sessionId } = sent;
  expect(JSON.parse(hookStdin(fixture(path)))).toEqual({
    ...sent,
    tool_name: tool,
    tool_input: toolArgs,
    session_id: sessionId,
  });
});

test("what a tool gave gets a second name too, and arguments in a text become an object", () => {
  const sent: Record<string, unknown> = JSON.parse(fixture("copilot/postToolUse"));
  expect(JSON.parse(hookStdin(JSON.stringify(sent)))).toMatchObject({ tool_response: sent["toolResult"] });
  const text = JSON.stringify({ toolName: "bash", toolArgs: '{"command":"ls"}' });
  expect(JSON.parse(hookStdin(text))).toMatchObject({ tool_name: "Bash", tool_input: { command: "ls" } });
});

test.each(['{"toolName": 7}', '{"toolName"', '["toolName"]', '{"toolName":"bash","tool_name":"Bash"}'])(
  "anything else is left unchanged: %s",
  (text) => {
    expect(hookStdin(text)).toBe(text);
  },
);
