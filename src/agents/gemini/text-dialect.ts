import type { TextDialect } from "../pack/surfaces.ts";

/** Seen on 0.61.0: an agent's file with an unknown tool or key is not loaded at all. */
export const dialect: TextDialect = {
  tools: {
    read_file: ["read"],
    list_directory: ["list"],
    grep_search: ["grep"],
    glob: ["glob"],
    replace: ["edit", "create"],
    write_file: ["create", "edit"],
    run_shell_command: ["shell"],
    web_fetch: ["fetch"],
    google_web_search: ["search"],
    invoke_agent: ["delegate"],
    write_todos: ["plan"],
    activate_skill: ["skill"],
  },
  aliases: { read_many_files: ["read"], search_file_content: ["grep"] },
  limitsTools: true,
  forbidsTools: false,
  serverTool: (server, tool) => `mcp_${server}_${tool ?? "*"}`,
  model: (name) => (name.startsWith("gemini-") ? name : undefined),
  fillsIn: false,
};
