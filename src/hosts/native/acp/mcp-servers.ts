import type { McpServer as EditorServer } from "@agentclientprotocol/sdk";
import type { McpServer } from "../../../contract/mcp-server.ts";

/** The MCP servers that an editor names, in our own form. Of two with the same name, the second is left out. */
export function mcpServers(servers: readonly EditorServer[], announce: (text: string) => void): readonly McpServer[] {
  const named = new Map<string, McpServer>();
  for (const server of servers) {
    if (named.has(server.name)) announce(`the editor names two MCP servers ${server.name}; the second is not used`);
    else named.set(server.name, ours(server));
  }
  return [...named.values()];
}

function ours(server: EditorServer): McpServer {
  const { name } = server;
  if ("url" in server) return { type: server.type, name, url: server.url, headers: pairs(server.headers) };
  return { type: "stdio", name, command: server.command, args: server.args, env: pairs(server.env) };
}

const pairs = (list: readonly { readonly name: string; readonly value: string }[]) =>
  Object.fromEntries(list.map(({ name, value }) => [name, value]));
