import { STAGED_SECONDS, type Surfaces } from "../pack/surfaces.ts";
import { dialect } from "./text-dialect.ts";

const INSTRUCTIONS = ".github/copilot-instructions.md";

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
