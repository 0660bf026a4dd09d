import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type JSONRPCMessage, JSONRPCMessageSchema, type RequestId } from "@modelcontextprotocol/sdk/types.js";
import type { McpAddress, McpProgram, McpServer } from "../../contract/mcp-server.ts";
import type { Policy } from "../../contract/policy.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { decodeLines } from "../../lib/text/decode-lines.ts";
import {
  type ServerPlace,
  type ServerProgram,
  type StartedServer,
  startServer,
} from "../../sandbox/run/start-server.ts";
import { judgedFetch } from "./judged-fetch.ts";

export interface TransportPlace extends ServerPlace {
  readonly policy: Policy;
  /** Tokens of a server that wants a login. */
  readonly authFor: (server: McpAddress) => OAuthClientProvider;
}

/** A way to speak with a server, and the end of what it printed, for messages. */
interface OpenTransport {
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

/** More bad lines than a server prints by mistake before it speaks. */
const MAX_FAULTS = 1000;

/** The program does not read any more. */
export class ServerEnded extends Error {
  constructor(options?: ErrorOptions) {
    super("the server has ended", options);
  }
}

/**
 * JSON-RPC with a program, one message per line. A line that is no message is passed over, because many servers print
 * something by mistake. One that is too long was an answer, so whoever waits for one is told.
 */
function programTransport(start: () => Promise<StartedServer>): Transport & { readonly lastWords: () => string } {
  let program: StartedServer | undefined;
  let closing: Promise<void> | undefined;
  const waiting = new Set<RequestId>();
  const end = async () => {
    await program?.end();
    transport.onclose?.();
  };
  const close = () => (closing ??= end());
  const read = async ({ child }: StartedServer) => {
    let faults = 0;
    if (child.stdout === null) return;
    for await (const line of decodeLines(child.stdout)) {
      const message = "text" in line ? messageIn(line.text) : undefined;
      if (message !== undefined) {
        if ("id" in message && message.id !== undefined) waiting.delete(message.id);
        transport.onmessage?.(message);
      } else if ("fault" in line && line.fault.startsWith("a line of more")) {
        for (const id of waiting) transport.onmessage?.(tooLong(id));
        waiting.clear();
      } else if (++faults > MAX_FAULTS) return;
    }
  };
  const transport: Transport & { readonly lastWords: () => string } = {
    async start() {
      program = await start();
      void read(program)
        .catch(() => undefined)
        .then(close);
    },
    async send(message) {
      const stdin = program?.child.stdin;
      if (closing !== undefined || stdin === null || stdin === undefined) throw new ServerEnded();
      if ("id" in message && "method" in message) waiting.add(message.id);
      await new Promise<void>((resolve, reject) => {
        stdin.write(`${JSON.stringify(message)}\n`, (error) =>
          error ? reject(new ServerEnded({ cause: error })) : resolve(),
        );
      });
    },
    close,
    lastWords: () => program?.lastWords() ?? "",
  };
  return transport;
}

function messageIn(text: string): JSONRPCMessage | undefined {
  try {
    return JSONRPCMessageSchema.safeParse(parseJson(text)).data;
  } catch {
    return undefined;
  }
}

const tooLong = (id: RequestId): JSONRPCMessage => ({
  jsonrpc: "2.0",
  id,
  error: { code: -32603, message: "the answer of the server is larger than 16 MiB" },
});
