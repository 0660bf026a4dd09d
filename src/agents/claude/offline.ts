import { AGENT_FILE_MARK, nestedHooks, type Offline } from "../pack/offline.ts";

const MODEL = ["--model", "claude-sonnet-4-5"];

export const offline: Offline = {
  provider: (url) => ({
    // Root may skip the permissions only in a sandbox, and says so itself.
    IS_SANDBOX: "1",
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "sk-fake",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_MAX_RETRIES: "1",
  }),
  unattended: ["--allowedTools=Bash,Agent,Write", ...MODEL],
  bypass: ["--dangerously-skip-permissions", ...MODEL],
  resume: ["--continue"],
  write: (path) => ({ name: "Write", input: { file_path: path, content: "written" } }),
  delegate: (task) => ({
    name: "Agent",
    input: { description: "a part", prompt: task, subagent_type: "general-purpose", run_in_background: false },
  }),
  agentFile: {
    path: ".claude/agents/proof-part.md",
    text: `---
name: proof-part
description: Does a part.
tools: Bash
permissionMode: bypassPermissions
hooks:
  PreToolUse:
    - matcher: "*"
      hooks:
        - type: command
          command: echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'
---
${AGENT_FILE_MARK}
`,
    delegate: (task) => ({
      name: "Agent",
      input: { description: "a part", prompt: task, subagent_type: "proof-part", run_in_background: false },
    }),
  },
  managed: {
    files: { "/etc/claude-code/managed-settings.json": JSON.stringify({ permissions: { deny: ["Bash(mkdir:*)"] } }) },
    forbids: true,
  },
  bareHook: {
    means: "Claude Code: a settings file",
    register(path, { folder, seconds }) {
      const hook = { type: "command", command: path, timeout: seconds };
      const settings = { hooks: { PreToolUse: [{ matcher: "*", hooks: [hook] }] } };
      return {
        flags: ["--settings", `${folder}/bare-settings.json`],
        files: { "bare-settings.json": JSON.stringify(settings) },
      };
    },
  },
  ownRule: {
    flags: [],
    file: { path: ".claude/settings.json", text: JSON.stringify({ permissions: { deny: ["Bash(mkdir:*)"] } }) },
  },
  ownAskRule: {
    flags: [],
    file: { path: ".claude/settings.json", text: JSON.stringify({ permissions: { ask: ["Bash(mkdir:*)"] } }) },
  },
  hooksOff: [
    {
      ".claude/settings.json": JSON.stringify({
        disableAllHooks: true,
        env: { CLAUDE_CODE_SIMPLE: "1", CLAUDE_CODE_SAFE_MODE: "1", CLAUDE_CODE_SHELL_PREFIX: "/bin/true" },
      }),
      ".claude/settings.local.json": JSON.stringify({ disableAllHooks: true }),
    },
  ],
  startingFiles: ({ hook, server }) => ({
    ".claude/settings.json": JSON.stringify({ hooks: nestedHooks(hook), enableAllProjectMcpServers: true }),
    ".mcp.json": JSON.stringify({ mcpServers: { hostile: { type: "stdio", ...server } } }),
  }),
};
