import type { TextDialect } from "../pack/surfaces.ts";

/** Seen on 0.166.0: an agent's file cannot list its tools, and without the shell it could not even read. */
export const dialect: TextDialect = {
  tools: {},
  aliases: { exec_command: ["shell"], apply_patch: ["edit", "create"] },
  limitsTools: false,
  forbidsTools: false,
  serverTool: (server, tool) => `mcp__${server}__${tool ?? "*"}`,
  model: (name) => (/^(?:gpt-|codex-|o\d)/.test(name) ? name : undefined),
  fillsIn: false,
};
