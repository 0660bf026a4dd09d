import type { McpServer as EditorServer } from "@agentclientprotocol/sdk";
import type { McpServer } from "../../../contract/mcp-server.ts";
import { printableLine } from "../../../lib/printable.ts";

const MAX_NAME = 128;

/** The MCP servers that an editor names, in our own form. One without a usable name, or with that of another, is left out. */
export function mcpServers(servers: readonly EditorServer[], announce: (text: string) => void): readonly McpServer[] {
  const named = new Map<string, McpServer>();
  for (const server of servers) {
    const name = printableLine(server.name).trim();
    if (name === "" || name.length > MAX_NAME)
      announce(`the editor names an MCP server with a name that is empty or too long; it is not used`);
    else if (named.has(name)) announce(`the editor names two MCP servers ${name}; the second is not used`);
    else named.set(name, ours(server, name));
  }
  return [...named.values()];
}

function ours(server: EditorServer, name: string): McpServer {
  const named = { name, isEditors: true };
  if ("url" in server) return { ...named, type: server.type, url: server.url, headers: pairs(server.headers) };
  return { ...named, type: "stdio", command: server.command, args: server.args, env: pairs(server.env) };
}

const pairs = (list: readonly { readonly name: string; readonly value: string }[]) =>
  Object.fromEntries(list.map(({ name, value }) => [name, value]));
