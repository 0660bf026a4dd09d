import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport, StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  ErrorCode,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  McpError,
  type RequestId,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import type { McpProgram, McpServer } from "../../contract/mcp-server.ts";
import type { Policy } from "../../contract/policy.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { whenAborted } from "../../lib/process/tasks.ts";
import { decodeLines } from "../../lib/text/decode-lines.ts";
import { shortLine } from "../../lib/text/printable.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import {
  type ServerPlace,
  type ServerProgram,
  type StartedServer,
  startServer,
  tellingLine,
} from "../../sandbox/run/start-server.ts";
import { judgedFetch } from "./judged-fetch.ts";
import { sessionAuth } from "./login.ts";

/** What the servers of a session have in common: where they run, and by which rules they are asked. */
export interface ServerSetup extends ServerPlace {
  readonly policy: Policy;
  /** The user's signalbox folder, with the logins and the known lists. */
  readonly home: string;
  /** Of signalbox. */
  readonly version: string;
  readonly startMs?: number | undefined;
  /** How long a first request waits for servers whose tools are not known yet. */
  readonly waitMs?: number | undefined;
}

/** A server that answers. */
export interface Connection {
  readonly instructions: string | undefined;
  /** Everything in its list of tools, unchecked. */
  list(signal: AbortSignal): Promise<readonly unknown[]>;
  /** The result of one call, unchecked. */
  call(request: ToolRequest, timeoutMs: number): Promise<unknown>;
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

export interface ToolRequest {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

/** `npx` may have to fetch the server first. */
const START_MS = 60_000;

const MAX_PAGES = 50;

const MAX_TOOLS = 1000;

const MAX_LIST = 16_000_000;

/** Connects to a server and greets it. Throws an error that says what is wrong, for people. */
export async function connect(
  server: McpServer,
  setup: ServerSetup,
  signal: AbortSignal,
  onListChange: () => void,
): Promise<Connection> {
  try {
    return await greet(server, setup, signal, onListChange);
  } catch (error) {
    const isOlder =
      server.type === "http" && error instanceof StreamableHTTPError && String(error.code).startsWith("4");
    if (isOlder && error.code !== 401 && error.code !== 403) {
      try {
        return await greet({ ...server, type: "sse" }, setup, signal, onListChange);
      } catch {
        // The first failure is about what the configuration says.
      }
    }
    throw new Error(explain(server, error), { cause: error });
  }
}

async function greet(
  server: McpServer,
  setup: ServerSetup,
  signal: AbortSignal,
  onListChange: () => void,
): Promise<Connection> {
  const { version, startMs = START_MS } = setup;
  const { transport, lastWords } = openTransport(server, setup);
  const client = new Client(
    { name: "signalbox", version },
    // Results go to a model, which needs no validation; somebody else's schema is not compiled here.
    { capabilities: {}, jsonSchemaValidator: { getValidator: () => () => NOT_CHECKED } },
  );
  client.fallbackRequestHandler = async ({ method }) => {
    throw new McpError(ErrorCode.MethodNotFound, `signalbox does not offer ${shortLine(method, 60)} to servers`);
  };
  client.setNotificationHandler(ToolListChangedNotificationSchema, onListChange);
  const closed = new Promise<void>((resolve) => {
    client.onclose = resolve;
  });
  const limit = AbortSignal.any([signal, AbortSignal.timeout(startMs)]);
  try {
    // The SDK does not let go of a transport that never starts.
    await Promise.race([client.connect(transport, { timeout: startMs, signal: limit }), whenAborted(limit)]);
    limit.throwIfAborted();
  } catch (error) {
    await client.close().catch(() => undefined);
    await transport.close().catch(() => undefined);
    if (signal.aborted || !limit.aborted) throw withWords(isEnd(error) ? new Error(ENDED) : error, lastWords());
    throw withWords(new Error(`it did not answer within ${startMs / 1000} s`), lastWords());
  }
  return {
    instructions: client.getInstructions(),
    closed,
    list: (stop) => listAll(client, stop),
    call: ({ tool, input, signal: stop, progress }, timeoutMs) =>
      client.request({ method: "tools/call", params: { name: tool, arguments: { ...input } } }, Anything, {
        signal: stop,
        timeout: timeoutMs,
        onprogress: (step) =>
          progress(
            shortLine(step.message ?? `${step.progress}${step.total === undefined ? "" : ` of ${step.total}`}`, 200),
          ),
      }),
    close: () => client.close().catch(() => undefined),
  };
}

const Anything = z.looseObject({});

const ToolList = z.looseObject({
  tools: z.array(z.unknown()).catch([]),
  nextCursor: z.string().max(65_536).optional().catch(undefined),
});

async function listAll(client: Client, signal: AbortSignal): Promise<readonly unknown[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const found: unknown[] = [];
  let bytes = 0;
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && found.length < MAX_TOOLS; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: "tools/list", params }, ToolList, { signal, timeout: START_MS });
    found.push(...answer.tools);
    bytes += JSON.stringify(answer.tools).length;
    if (answer.nextCursor === undefined || answer.nextCursor === cursor || bytes > MAX_LIST) break;
    cursor = answer.nextCursor;
  }
  return found.slice(0, MAX_TOOLS);
}

const NOT_CHECKED = { valid: false, data: undefined, errorMessage: "not checked" } as const;

const ENDED = "it ended before it answered";

const isEnd = (error: unknown) =>
  error instanceof ServerEnded || (error instanceof McpError && error.code === Number(ErrorCode.ConnectionClosed));

function withWords(error: unknown, words: string): unknown {
  if (words === "") return error;
  return new Error(`${messageOf(error)}; it printed: ${tellingLine(words)}`, { cause: error });
}

function explain(server: McpServer, error: unknown): string {
  const login = wantsLogin(server, error);
  if (login !== undefined) return login;
  const words = shortLine(messageOf(error).replace(/^MCP error -?\d+: /, ""), 500);
  const hidden = server.type === "stdio" ? hiddenFile([server.command, ...server.args], words) : undefined;
  if (hidden === undefined) return words;
  return `${words}. The sandbox hides ${hidden}; to show it, add its folder to paths.read_roots in your policy`;
}

/** A file that the program could not find, although it is there. */
const hiddenFile = (given: readonly string[], words: string): string | undefined =>
  /cannot find|not found|no such file/i.test(words)
    ? given.find((word) => isAbsolute(word) && words.includes(word) && existsSync(word))
    : undefined;

/** What to say when a server fails because it wants a login; undefined for every other failure. */
export function wantsLogin(server: McpServer, error: unknown): string | undefined {
  const isWanted = error instanceof UnauthorizedError || (error instanceof StreamableHTTPError && error.code === 401);
  if (!isWanted || server.type === "stdio") return undefined;
  return `it wants a login; to log in: signalbox mcp login ${server.isEditors === true ? server.url : server.name}`;
}

/** A way to speak with a server, and the end of what it printed, for messages. */
function openTransport(
  server: McpServer,
  setup: ServerSetup,
): { readonly transport: Transport; readonly lastWords: () => string } {
  if (server.type === "stdio") {
    const transport = programTransport(() => startServer(programOf(server), setup));
    return { transport, lastWords: transport.lastWords };
  }
  const url = new URL(server.url);
  const hasOwnKey = Object.keys(server.headers).some((name) => name.toLowerCase() === "authorization");
  const options = {
    fetch: judgedFetch(setup.policy, server.url),
    requestInit: { headers: { ...server.headers } },
    ...(hasOwnKey ? {} : { authProvider: sessionAuth(setup.home, server.url) }),
  };
  const Transport = server.type === "sse" ? SSEClientTransport : StreamableHTTPClientTransport;
  return { transport: new Transport(url, options), lastWords: () => "" };
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
