import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

/** What to say when a server fails because it wants a login; undefined for every other failure. */
export function wantsLogin(name: string, error: unknown): string | undefined {
  const isWanted = error instanceof UnauthorizedError || (error instanceof StreamableHTTPError && error.code === 401);
  return isWanted ? `it wants a login; to log in: signalbox mcp login ${name}` : undefined;
}
