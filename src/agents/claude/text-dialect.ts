import type { TextDialect } from "../pack/surfaces.ts";

const CLAUDE_MODEL = /^(?:inherit|default|opusplan|(?:sonnet|opus|haiku)(?:\[1m\])?|claude-[\w.-]+(?:\[1m\])?)$/;

/** Seen on 2.1.325: a list of which no name is known makes the agent unusable. */
export const dialect: TextDialect = {
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
