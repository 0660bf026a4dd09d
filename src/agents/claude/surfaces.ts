import { orRefuse, STAGED_SECONDS, type Surfaces } from "../pack/surfaces.ts";
import { dialect } from "./text-dialect.ts";

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
