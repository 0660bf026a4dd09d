import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ErrorCode, McpError, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import type { McpServer } from "../../contract/mcp-server.ts";
import { shortLine } from "../../lib/text/printable.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import { tellingLine } from "../../sandbox/run/start-server.ts";
import { openTransport, ServerEnded, type TransportPlace } from "./transport.ts";

export interface ConnectPlace extends TransportPlace {
  readonly version: string;
  readonly signal: AbortSignal;
  readonly startMs?: number | undefined;
}

/** A server that answers. */
export interface Connection {
  readonly instructions: string | undefined;
  /** Everything in its list of tools, unchecked. */
  list(signal: AbortSignal): Promise<readonly unknown[]>;
  /** The result of one call, unchecked. */
  call(request: CallRequest): Promise<unknown>;
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

export interface CallRequest {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly progress: (text: string) => void;
}

/** `npx` may have to fetch the server first. */
const START_MS = 60_000;

const MAX_PAGES = 50;

const MAX_TOOLS = 1000;

const MAX_LIST = 16_000_000;

/** Connects to a server and greets it. Throws an error that says what is wrong, for people. */
export async function connect(server: McpServer, place: ConnectPlace, onListChange: () => void): Promise<Connection> {
  try {
    return await greet(server, place, onListChange);
  } catch (error) {
    const isOlder =
      server.type === "http" && error instanceof StreamableHTTPError && String(error.code).startsWith("4");
    if (isOlder && error.code !== 401 && error.code !== 403) {
      try {
        return await greet({ ...server, type: "sse" }, place, onListChange);
      } catch {
        // The first failure is about what the configuration says.
      }
    }
    throw new Error(explain(server, error), { cause: error });
  }
}

async function greet(server: McpServer, place: ConnectPlace, onListChange: () => void): Promise<Connection> {
  const { version, signal, startMs = START_MS } = place;
  const { transport, lastWords } = openTransport(server, place);
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
    await until(limit, client.connect(transport, { timeout: startMs, signal: limit }));
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
    call: ({ tool, input, signal: stop, timeoutMs, progress }) =>
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

/** The SDK does not let go of a transport that never starts. */
function until<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  const aborted = new Promise<never>((_, reject) => {
    const stop = () => reject(signal.reason instanceof Error ? signal.reason : new Error("interrupted"));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  return Promise.race([work, aborted]);
}

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
