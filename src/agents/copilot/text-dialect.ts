import type { TextDialect } from "../pack/surfaces.ts";

const DATED = /^(claude-(?:sonnet|opus|haiku)-\d+)-(\d)(?:-\d{8})?$/;

/** Seen on 1.0.102: unknown names are ignored, an empty list means no tools, and `disallowedTools` does nothing. */
export const dialect: TextDialect = {
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
