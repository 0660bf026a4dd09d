import { STAGED_SECONDS, type Surfaces, type TextDialect } from "../pack/surfaces.ts";

const INSTRUCTIONS = ".github/copilot-instructions.md";

const DATED = /^(claude-(?:sonnet|opus|haiku)-\d+)-(\d)(?:-\d{8})?$/;

/** Seen on 1.0.102: unknown names are ignored, an empty list means no tools, and `disallowedTools` does nothing. */
const dialect: TextDialect = {
  tools: {
    view: ["read"],
    grep: ["grep"],
    glob: ["glob"],
    edit: ["edit", "create"],
    create: ["create"],
    bash: ["shell"],
    web_fetch: ["fetch"],
    web_search: ["search"],
    task: ["delegate"],
    todo: ["plan"],
    skill: ["skill"],
  },
  aliases: {
    read: ["read"],
    search: ["grep", "glob"],
    execute: ["shell"],
    shell: ["shell"],
    agent: ["delegate"],
    web: ["fetch", "search"],
    update_todo: ["plan"],
  },
  limitsTools: true,
  forbidsTools: false,
  serverTool: (server, tool) => `${server}/${tool ?? "*"}`,
  model(name) {
    // Claude Code's short names have no version, so they are no model here.
    if (/^(?:gpt|gemini|grok|o\d|claude-(?:sonnet|opus|haiku)-\d+(?:\.\d+)?$)/.test(name)) return name;
    return DATED.test(name) ? name.replace(DATED, "$1.$2") : undefined;
  },
  fillsIn: false,
};

export const surfaces: Surfaces = {
  hooks: {
    form: "file",
    file: ".github/hooks/signalbox.json",
    mark: '"version": 1,',
    text(wrappers) {
      const hooks = Object.fromEntries(
        wrappers.map(({ name, path }) => [name, [{ type: "command", bash: path, timeoutSec: STAGED_SECONDS }]]),
      );
      return `${JSON.stringify({ version: 1, hooks }, null, 2)}\n`;
    },
    folder: ".github/hooks",
    // The names that users know from other agents.
    wrappers: {
      "session-start": "session-start",
      "session-end": "session-stop",
      "prompt-submitted": "user-prompt-submit",
      "tool-before": "pre-tool-use",
      "tool-after": "post-tool-use",
      "agent-stop": "agent-stop",
      "subagent-stop": "subagent-stop",
      "compact-before": "pre-compact",
      error: "error-occurred",
    },
  },
  hookSwitches: [".github/copilot/settings.json", ".github/copilot/settings.local.json"],
  dialect,
  agents: { folder: ".github/agents", ending: ".agent.md" },
  skills: { folder: ".agents/skills", alsoRead: [".github/skills"] },
  instructions: {
    files: ["AGENTS.md", INSTRUCTIONS],
    // Copilot reads every one of them, so it gets a file of its own only where it already has one.
    choose: (read) =>
      read("AGENTS.md") === undefined && read(INSTRUCTIONS) !== undefined ? INSTRUCTIONS : "AGENTS.md",
  },
  servers: { form: "json", path: ".mcp.json", at: ["mcpServers"] },
  places: [".github/hooks/", ".github/agents/", INSTRUCTIONS, ".agents/skills/", "AGENTS.md", ".mcp.json"],
  note: "Copilot CLI reads .github/hooks only in trusted folders: answer yes when it asks. A guarded launch (signalbox copilot) needs none of this",
};
