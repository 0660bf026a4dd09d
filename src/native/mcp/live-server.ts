import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import type { McpServer } from "../../contract/mcp-server.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import { ServerEnded } from "./transport.ts";
import { type CallRequest, connect, type Connection, type ConnectPlace, wantsLogin } from "./connection.ts";
import { type ListPlace, serverList, type ServerList } from "./server-list.ts";

export interface LivePlace extends Omit<ConnectPlace, "signal">, ListPlace {}

/** One server of a session: started when it is needed, and started again once if it ends by itself. */
export interface LiveServer extends AsyncDisposable {
  readonly name: string;
  readonly list: ServerList;
  /** Why it does not work; undefined if it does, or was not started. */
  readonly problem: string | undefined;
  /** Starts it unless it runs. Never throws; see `problem`. */
  start(): Promise<void>;
  call(request: Omit<CallRequest, "timeoutMs">): Promise<unknown>;
}

const CALL_MS = 300_000;
const MAX_ENDS = 2;
const MAX_CHANGES = 100;

export function liveServer(server: McpServer, place: LivePlace): LiveServer {
  const { name, timeoutMs = CALL_MS } = server;
  const list = serverList(server, place);
  const link = openLink(server, { ...place, list });
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
        return await connection.call({ ...request, timeoutMs });
      } catch (error) {
        if (!isForgotten(error)) throw new Error(explain(error, server, timeoutMs), { cause: error });
      }
      // The server no longer knows our session, so it has done nothing.
      await link.forget(connection);
      const renewed = await interruptible(link.ready(), request.signal);
      return await renewed.call({ ...request, timeoutMs }).catch((error: unknown) => {
        throw new Error(explain(error, server, timeoutMs), { cause: error });
      });
    },
    [Symbol.asyncDispose]: () => link.end(),
  };
}

/** The connection to a server, opened when it is needed. */
function openLink(server: McpServer, { list, ...place }: LivePlace & { readonly list: ServerList }) {
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
      connection = await connect(server, { ...place, signal: ended.signal }, refresh);
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

async function interruptible<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(new Error("interrupted"));
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

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
