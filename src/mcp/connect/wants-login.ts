import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { McpServer } from "../../contract/mcp-server.ts";

/** What to say when a server fails because it wants a login; undefined for every other failure. */
export function wantsLogin(server: McpServer, error: unknown): string | undefined {
  const isWanted = error instanceof UnauthorizedError || (error instanceof StreamableHTTPError && error.code === 401);
  if (!isWanted || server.type === "stdio") return undefined;
  return `it wants a login; to log in: signalbox mcp login ${server.isEditors === true ? server.url : server.name}`;
}
