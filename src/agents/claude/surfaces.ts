import { orRefuse, STAGED_SECONDS, type Surfaces, type TextDialect } from "../pack/surfaces.ts";

const CLAUDE_MODEL = /^(?:inherit|default|opusplan|(?:sonnet|opus|haiku)(?:\[1m\])?|claude-[\w.-]+(?:\[1m\])?)$/;

/** Seen on 2.1.325: a list of which no name is known makes the agent unusable. */
const dialect: TextDialect = {
  tools: {
    Read: ["read"],
    Grep: ["grep"],
    Glob: ["glob"],
    Edit: ["edit", "create"],
    Write: ["edit", "create"],
    NotebookEdit: ["notebook"],
    Bash: ["shell"],
    WebFetch: ["fetch"],
    WebSearch: ["search"],
    Agent: ["delegate"],
    TodoWrite: ["plan"],
    Skill: ["skill"],
  },
  aliases: { Task: ["delegate"], MultiEdit: ["edit"], LS: ["list"], NotebookRead: ["read"] },
  limitsTools: true,
  forbidsTools: true,
  serverTool: (server, tool) => (tool === undefined ? `mcp__${server}` : `mcp__${server}__${tool}`),
  // Others write `claude-sonnet-4.5`.
  model: (name) => (CLAUDE_MODEL.test(name) ? name.replace(/(\d)\.(\d)/, "$1-$2") : undefined),
  fillsIn: true,
};

export const surfaces: Surfaces = {
  hooks: {
    form: "settings",
    settings: ".claude/settings.json",
    wrapper: ".claude/hooks/signalbox",
    command: (event) => `"$CLAUDE_PROJECT_DIR"/.claude/hooks/signalbox ${event}${orRefuse(event)}`,
    seconds: () => STAGED_SECONDS,
    more: (event) => (event === "tool-before" ? { onFailure: "block" } : {}),
    needsTrust: true,
  },
  hookSwitches: [".claude/settings.json", ".claude/settings.local.json"],
  dialect,
  agents: { folder: ".claude/agents", ending: ".md", isNested: true },
  commands: { folder: ".claude/commands", ending: ".md", isNested: true },
  skills: { folder: ".claude/skills", alsoRead: [] },
  instructions: {
    files: ["CLAUDE.md", "AGENTS.md"],
    // Claude Code reads AGENTS.md only where there is no CLAUDE.md, so none is made.
    choose(read) {
      const own = read("CLAUDE.md");
      return own !== undefined && !/^@(?:\.\/)?AGENTS\.md\s*$/m.test(own) ? "CLAUDE.md" : "AGENTS.md";
    },
  },
  servers: { form: "json", path: ".mcp.json", at: ["mcpServers"] },
  places: [
    ".claude/hooks/",
    ".claude/agents/",
    ".claude/skills/",
    ".claude/commands/",
    ".claude/settings.json",
    "CLAUDE.md",
    "AGENTS.md",
    ".mcp.json",
  ],
};
