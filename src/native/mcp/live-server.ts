import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import type { McpServer } from "../../contract/mcp-server.ts";
import { atomicWrite } from "../../lib/files/atomic-write.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { readBounded } from "../../lib/files/read-file.ts";
import { canonicalJson } from "../../lib/json/json-value.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { sha256 } from "../../lib/json/sha256.ts";
import { interruptible } from "../../lib/process/tasks.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import { connect, type Connection, ServerEnded, type ServerSetup, type ToolRequest, wantsLogin } from "./connection.ts";
import { readInstructions, readTools, type ServerTool } from "./server-tools.ts";

/** One server of a session: started when it is needed, and started again once if it ends by itself. */
export interface LiveServer extends AsyncDisposable {
  readonly name: string;
  readonly list: ServerList;
  /** Why it does not work; undefined if it does, or was not started. */
  readonly problem: string | undefined;
  /** Starts it unless it runs. Never throws; see `problem`. */
  start(): Promise<void>;
  call(request: ToolRequest): Promise<unknown>;
}

const CALL_MS = 300_000;
const MAX_ENDS = 2;
const MAX_CHANGES = 100;

/** `warn` is told what in the server's list is not used. */
export function liveServer(server: McpServer, setup: ServerSetup, warn: (text: string) => void): LiveServer {
  const { name, timeoutMs = CALL_MS } = server;
  const list = serverList(server, setup, warn);
  const link = openLink(server, setup, list);
  return {
    name,
    list,
    get problem() {
      return link.problem;
    },
    start: () =>
      link.ready().then(
        () => undefined,
        () => undefined,
      ),
    async call(request) {
      const connection = await interruptible(link.ready(), request.signal);
      try {
        return await connection.call(request, timeoutMs);
      } catch (error) {
        if (!isForgotten(error)) throw new Error(explain(error, server, timeoutMs), { cause: error });
      }
      // The server no longer knows our session, so it has done nothing.
      await link.forget(connection);
      const renewed = await interruptible(link.ready(), request.signal);
      return await renewed.call(request, timeoutMs).catch((error: unknown) => {
        throw new Error(explain(error, server, timeoutMs), { cause: error });
      });
    },
    [Symbol.asyncDispose]: () => link.end(),
  };
}

/** The connection to a server, opened when it is needed. */
function openLink(server: McpServer, setup: ServerSetup, list: ServerList) {
  const { name } = server;
  const ended = new AbortController();
  let opening: Promise<Connection> | undefined;
  let [ends, changes] = [0, 0];
  let problem: string | undefined;

  const refresh = () => {
    if (++changes <= MAX_CHANGES) void opening?.then((one) => list.refresh(one, ended.signal)).catch(() => undefined);
  };
  const open = async (): Promise<Connection> => {
    let connection: Connection | undefined;
    let isLeft = false;
    try {
      connection = await connect(server, setup, ended.signal, refresh);
      void connection.closed.then(() => {
        if (ended.signal.aborted || isLeft) return;
        [opening, problem] = [undefined, "it ended by itself"];
        ends++;
      });
      await list.refresh(connection, ended.signal);
      problem = undefined;
      return connection;
    } catch (error) {
      isLeft = true;
      await connection?.close();
      [opening, problem] = [undefined, messageOf(error)];
      throw new Error(`the MCP server ${name} cannot be used: ${problem}`, { cause: error });
    }
  };
  return {
    get problem() {
      return problem;
    },
    async ready(): Promise<Connection> {
      if (opening === undefined && ends >= MAX_ENDS)
        throw new Error(
          `the MCP server ${name} ended by itself ${ends} times and is not started again${server.isEditors === true ? "" : `. The user can look at it: signalbox mcp test ${name}`}`,
        );
      return await (opening ??= open());
    },
    async forget(connection: Connection) {
      opening = undefined;
      ends--;
      await connection.close();
    },
    async end() {
      ended.abort(new Error("the session has ended"));
      await (await opening?.catch(() => undefined))?.close();
    },
  };
}

const isForgotten = (error: unknown) => error instanceof StreamableHTTPError && error.code === 404;

function explain(error: unknown, server: McpServer, timeoutMs: number): string {
  const { name } = server;
  const login = wantsLogin(server, error);
  if (login !== undefined) return `the MCP server ${name} did not take the call: ${login}`;
  const code = error instanceof McpError ? error.code : undefined;
  if (code === Number(ErrorCode.ConnectionClosed) || error instanceof ServerEnded)
    return `the MCP server ${name} ended while it worked on this call, which may have taken effect`;
  if (code === Number(ErrorCode.RequestTimeout))
    return `the MCP server ${name} did not answer within ${timeoutMs / 1000} s, and was told to stop`;
  return messageOf(error).replace(/^MCP error (-?\d+): /, "the server answered with error $1: ");
}

/** What a server offers, as far as known: from this session, or else from the last one. */
interface ServerList {
  /** The same array until it changes. */
  readonly tools: readonly ServerTool[];
  readonly instructions: string;
  readonly isKnown: boolean;
  refresh(connection: Connection, signal: AbortSignal): Promise<void>;
}

function serverList(server: McpServer, { home, version }: ServerSetup, warn: (text: string) => void): ServerList {
  const known = readList(home, server, version);
  let tools: readonly ServerTool[] = known?.tools ?? [];
  let instructions = known?.instructions ?? "";
  let isKnown = known !== undefined;
  const told = new Set<string>();
  const tell = (text: string) => {
    if (!told.has(text)) warn(text);
    told.add(text);
  };
  return {
    get tools() {
      return tools;
    },
    get instructions() {
      return instructions;
    },
    get isKnown() {
      return isKnown;
    },
    async refresh(connection, signal) {
      const list = readTools(await connection.list(signal), server.name);
      const { text, isLeftOut } = readInstructions(connection.instructions);
      list.notes.forEach(tell);
      if (isLeftOut) tell(`the instructions of the MCP server ${server.name} try to steer the agent and are left out`);
      if (JSON.stringify(list.tools) !== JSON.stringify(tools)) tools = list.tools;
      [instructions, isKnown] = [text, true];
      writeList(home, server, version, { tools, instructions });
    },
  };
}

const KnownList = z.object({
  version: z.literal(1),
  tools: z.array(z.object({ name: z.string(), description: z.string(), schema: z.record(z.string(), z.unknown()) })),
  instructions: z.string(),
});

/** What a server offered the last time, so that a session can offer it without starting the server. */
type KnownList = z.infer<typeof KnownList>;

const MAX_BYTES = 4 * 1024 * 1024;

const DAY_MS = 86_400_000;

const MAX_AGE_MS = 7 * DAY_MS;

const KEPT_MS = 30 * DAY_MS;

const folderIn = (home: string) => join(home, "mcp-lists");

/** Another configuration, or another signalbox, is another list. */
const fileOf = (home: string, server: McpServer, version: string) =>
  join(folderIn(home), `${sha256(canonicalJson({ server, version })).slice(0, 32)}.json`);

/** Undefined when there is none, or none that is recent and whole. */
export function readList(home: string, server: McpServer, version: string): KnownList | undefined {
  try {
    const { bytes, modified } = readBounded(fileOf(home, server, version), MAX_BYTES);
    if (Date.now() - modified.getTime() > MAX_AGE_MS) return undefined;
    return KnownList.safeParse(parseJson(bytes.toString("utf8"))).data;
  } catch {
    // It only saves a start.
    return undefined;
  }
}

/** Remembers a list, and forgets those that nobody has used for a month. */
export function writeList(
  home: string,
  server: McpServer,
  version: string,
  { tools, instructions }: { readonly tools: readonly ServerTool[]; readonly instructions: string },
): void {
  try {
    const folder = folderIn(home);
    makeFolder(folder);
    for (const name of readdirSync(folder)) {
      const file = join(folder, name);
      if (Date.now() - statSync(file).mtimeMs > KEPT_MS) rmSync(file, { force: true });
    }
    atomicWrite(fileOf(home, server, version), JSON.stringify({ version: 1, tools, instructions }));
  } catch {
    // A full or read-only disk must not stop a session.
  }
}
