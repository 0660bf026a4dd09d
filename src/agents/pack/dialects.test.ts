import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { HookEvent, HookEventName } from "../../contract/hook-event.ts";
import { findDialect } from "../find-dialect.ts";
import { readPayload } from "./hook-event.ts";

/** Payloads from real agents; the folder contains all of them. */
const payload = (agent: string, file: string) =>
  readPayload(readFileSync(join(import.meta.dirname, "../../../test/fixtures/hooks", agent, `${file}.json`), "utf8"));

const CLAUDE = { session: "205f6b93-495f-4fcf-889f-e7082113a97d", cwd: "/home/u/project", subAgent: undefined };
const CODEX = { ...CLAUDE, session: "01a1debf-3455-7ac3-b302-131dcbb2bb56" };
const COPILOT = { ...CLAUDE, session: "476d80ab-86c5-4746-86c8-a0e2da4f524e" };
const COPILOT_CHILD = "3deb14c8-0434-4ffc-bca6-f6d6ffb0329e";

const CLAUDE_TRANSCRIPT = `/home/u/.claude/projects/-home-u-project/${CLAUDE.session}.jsonl`;

const CODEX_TRANSCRIPT = (ending: string) =>
  `/home/u/.codex/sessions/2026/11/15/rollout-2026-11-15T10-27-${ending}.jsonl`;

const READ: readonly (readonly [string, string, HookEventName, HookEvent])[] = [
  ["claude", "SessionStart", "session-start", { type: "session-start", ...CLAUDE, source: "startup" }],
  ["claude", "SessionEnd", "session-end", { type: "session-end", ...CLAUDE, reason: "other" }],
  ["claude", "UserPromptSubmit", "prompt-submitted", { type: "prompt-submitted", ...CLAUDE, prompt: "do it" }],
  [
    "claude",
    "PreToolUse.Read",
    "tool-before",
    { type: "tool-before", ...CLAUDE, tool: "Read", input: { file_path: "/etc/hostname" }, id: "toolu_call_2_3_1" },
  ],
  [
    "claude",
    "PreToolUse.mcp__t__mark",
    "tool-before",
    { type: "tool-before", ...CLAUDE, tool: "mcp__t__mark", input: { p: "a" }, id: "toolu_call_4_5_1" },
  ],
  ["claude", "Stop", "agent-stop", { type: "agent-stop", ...CLAUDE, again: false, transcript: CLAUDE_TRANSCRIPT }],
  [
    "claude",
    "SubagentStop",
    "subagent-stop",
    {
      type: "subagent-stop",
      ...CLAUDE,
      subAgent: "a6684427662b37689",
      again: false,
      transcript: CLAUDE_TRANSCRIPT,
    },
  ],
  [
    "claude",
    "PreCompact",
    "compact-before",
    { type: "compact-before", ...CLAUDE, session: "bfe33023-5519-497f-a835-b2837d35d506", trigger: "manual" },
  ],
  [
    "claude",
    "StopFailure",
    "error",
    { type: "error", ...CLAUDE, session: "fdca2d27-d00a-4206-ba6f-05046c43650a", message: "unknown" },
  ],
  ["codex", "SessionStart", "session-start", { type: "session-start", ...CODEX, source: "startup" }],
  ["codex", "UserPromptSubmit", "prompt-submitted", { type: "prompt-submitted", ...CODEX, prompt: "do it" }],
  [
    "codex",
    "PreToolUse",
    "tool-before",
    {
      type: "tool-before",
      ...CODEX,
      tool: "Bash",
      input: { command: "echo hi" },
      trace: { file: CODEX_TRANSCRIPT("15-01a1debf-3455-7ac3-b302-131dcbb2bb56"), call: "call_0_1_1" },
    },
  ],
  [
    "codex",
    "PreToolUse.subagent",
    "tool-before",
    {
      type: "tool-before",
      ...CODEX,
      subAgent: "01a1debf-3dfc-7363-a508-31976567fee6",
      tool: "Bash",
      input: { command: "echo sub > submarker" },
      trace: { file: CODEX_TRANSCRIPT("17-01a1debf-3dfc-7363-a508-31976567fee6"), call: "call_0_11_1" },
    },
  ],
  [
    "codex",
    "PostToolUse",
    "tool-after",
    { type: "tool-after", ...CODEX, tool: "Bash", input: { command: "echo hi" }, output: "hi\n" },
  ],
  [
    "codex",
    "Stop",
    "agent-stop",
    { type: "agent-stop", ...CODEX, again: false, transcript: CODEX_TRANSCRIPT(`15-${CODEX.session}`) },
  ],
  ["copilot", "sessionStart", "session-start", { type: "session-start", ...COPILOT, source: "new" }],
  ["copilot", "sessionEnd", "session-end", { type: "session-end", ...COPILOT, reason: "complete" }],
  [
    "copilot",
    "userPromptSubmitted",
    "prompt-submitted",
    { type: "prompt-submitted", ...COPILOT, prompt: "PROMPT-TOOLS" },
  ],
  [
    "copilot",
    "preToolUse.view",
    "tool-before",
    { type: "tool-before", ...COPILOT, tool: "view", input: { path: "/home/u/project/new.txt" } },
  ],
  ["copilot", "agentStop", "agent-stop", { type: "agent-stop", ...COPILOT, again: false }],
  [
    "copilot",
    "agentStop.subagent",
    "agent-stop",
    { type: "subagent-stop", ...COPILOT, session: COPILOT_CHILD, subAgent: COPILOT_CHILD, again: false },
  ],
  [
    "copilot",
    "subagentStop",
    "subagent-stop",
    { type: "subagent-stop", ...COPILOT, subAgent: COPILOT_CHILD, again: false },
  ],
  [
    "copilot",
    "preCompact",
    "compact-before",
    { type: "compact-before", ...COPILOT, session: "d9d27dcd-7bee-4032-8b82-f3f692761b09", trigger: "auto" },
  ],
  [
    "gemini",
    "BeforeTool",
    "tool-before",
    {
      type: "tool-before",
      ...CLAUDE,
      session: "a79abed1-18ee-49cb-ac16-4fd2eb62577c",
      tool: "run_shell_command",
      input: { command: "touch marker", description: "Run the scripted command" },
    },
  ],
];

test.each(READ)("%s: what it sends as %s is read as %s", (agent, file, event, expected) => {
  expect(findDialect(agent).read(event, payload(agent, file))).toEqual(expected);
});

test("what a tool gave, or why it failed, is read from the field that the agent uses", () => {
  const outputs = [
    ["claude", "PostToolUse"],
    ["claude", "PostToolUseFailure"],
    ["copilot", "postToolUse"],
  ].map(([agent = "", file = ""]) => {
    const read = findDialect(agent).read("tool-after", payload(agent, file));
    return read.type === "tool-after" ? [read.tool, read.output] : undefined;
  });
  expect(outputs).toEqual([
    ["Bash", expect.objectContaining({ interrupted: false })],
    ["Bash", "Exit code 1"],
    ["bash", expect.objectContaining({ resultType: "success" })],
  ]);
});

test("what is said after a failed call of Claude Code goes by that event's name", () => {
  const dialect = findDialect("claude");
  expect(dialect.read("tool-after", payload("claude", "PostToolUseFailure"))).toMatchObject({ failed: true });
  expect(dialect.write("tool-after", { context: "a note", afterFailure: true })).toEqual({
    hookSpecificOutput: { hookEventName: "PostToolUseFailure", additionalContext: "a note" },
  });
});

test("an error that is an object is read by its message", () => {
  const read = findDialect("copilot").read("error", payload("copilot", "errorOccurred"));
  expect(read).toMatchObject({ type: "error", message: expect.stringContaining("scripted failure 400") });
});

test.each([
  ["claude", payload("copilot", "preToolUse"), "it has no tool_name"],
  ["codex", payload("copilot", "preToolUse"), "it has no tool_name"],
  ["copilot", payload("claude", "PreToolUse"), "it has no toolName"],
  ["claude", { tool_name: "Bash" }, "it has no tool_input"],
  ["claude", { tool_name: "", tool_input: {} }, "it has no tool_name"],
  ["copilot", { toolName: "bash", toolArgs: "{not json" }, "its toolArgs is not an object"],
  ["claude", { tool_name: "Bash", tool_input: {}, cwd: 7 }, "its cwd is not a string"],
  ["plain", { toolName: "bash", toolArgs: {}, session_id: "s" }, "it mixes the fields of two agents"],
] as const)("%s: a call of another shape is refused", (agent, sent, because) => {
  expect(() => findDialect(agent).read("tool-before", sent)).toThrow(because);
});

test("arguments that come as JSON in a text are read", () => {
  const read = findDialect("copilot").read("tool-before", { toolName: "bash", toolArgs: '{"command":"ls"}' });
  expect(read).toMatchObject({ tool: "bash", input: { command: "ls" } });
});

test("copilot: the bare text of a patch is read as one, and no other tool may send a bare text", () => {
  const patch = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch";
  const read = (event: "tool-before" | "tool-after", toolName: string) =>
    findDialect("copilot").read(event, { toolName, toolArgs: patch });
  expect(read("tool-before", "apply_patch")).toMatchObject({ tool: "apply_patch", input: { patch } });
  expect(read("tool-after", "apply_patch")).toMatchObject({ tool: "apply_patch", input: { patch } });
  expect(() => read("tool-before", "edit")).toThrow("its toolArgs is not an object");
  const wrapped = { toolName: "apply_patch", toolArgs: JSON.stringify({ patch }) };
  expect(findDialect("copilot").read("tool-before", wrapped)).toMatchObject({ input: { patch } });
});

const DENIAL = { verdict: "deny", because: "not that" } as const;

test.each([
  [
    "claude",
    {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: "not that",
      },
    },
  ],
  [
    "codex",
    {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: "not that",
      },
    },
  ],
  ["copilot", { permissionDecision: "deny", permissionDecisionReason: "not that", message: "not that" }],
  ["gemini", { decision: "deny", reason: "not that" }],
  ["plain", { permissionDecision: "deny", permissionDecisionReason: "not that", message: "not that" }],
] as const)("%s: a denial has its own shape, and no other agent's beside it", (agent, expected) => {
  expect(findDialect(agent).write("tool-before", DENIAL)).toEqual(expected);
});

test.each(["claude", "codex", "copilot", "gemini", "plain"])("%s: no opinion is an empty object", (agent) => {
  const { write, events } = findDialect(agent);
  for (const event of ["tool-before", "tool-after", "agent-stop", "prompt-submitted", "session-start"] as const)
    if (events[event] !== undefined) expect(write(event, {})).toEqual({});
});

test.each(["claude", "codex", "copilot", "plain"])(
  "%s: a refused stop says why, and a denial drops changed arguments",
  (agent) => {
    const { write } = findDialect(agent);
    expect(write("agent-stop", { block: "tests fail" })).toEqual({ decision: "block", reason: "tests fail" });
    expect(JSON.stringify(write("tool-before", { ...DENIAL, input: { command: "x" } }))).not.toContain("command");
  },
);
