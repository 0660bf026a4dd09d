import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { McpAddress, McpProgram, McpServer } from "../../contract/mcp-server.ts";
import type { Policy } from "../../contract/policy.ts";
import { judgedFetch } from "./judged-fetch.ts";
import { programTransport } from "./program-transport.ts";
import { type ServerPlace, type ServerProgram, startServer } from "../../tools/command/start-server.ts";

export interface TransportPlace extends ServerPlace {
  readonly policy: Policy;
  /** Tokens of a server that wants a login. */
  readonly authFor: (server: McpAddress) => OAuthClientProvider;
}

/** A way to speak with a server, and the end of what it printed, for messages. */
export interface OpenTransport {
  readonly transport: Transport;
  readonly lastWords: () => string;
}

/** `older`: the transport that servers had before streamable HTTP. */
export function openTransport(server: McpServer, place: TransportPlace, older = false): OpenTransport {
  if (server.type === "stdio") {
    const transport = programTransport(() => startServer(programOf(server), place));
    return { transport, lastWords: transport.lastWords };
  }
  const url = new URL(server.url);
  const hasOwnKey = Object.keys(server.headers).some((name) => name.toLowerCase() === "authorization");
  const options = {
    fetch: judgedFetch({ policy: place.policy, configured: server.url }),
    requestInit: { headers: { ...server.headers } },
    ...(hasOwnKey ? {} : { authProvider: place.authFor(server) }),
  };
  const isOlder = older || server.type === "sse";
  const transport = isOlder ? new SSEClientTransport(url, options) : new StreamableHTTPClientTransport(url, options);
  return { transport, lastWords: () => "" };
}

/** The user has configured it, so it runs where commands run. */
const programOf = ({ name, command, args, env }: McpProgram): ServerProgram => ({
  title: `the MCP server ${name}`,
  command,
  args,
  env,
  insideOnly: false,
});
