import type { Socket } from "node:net";
import { joinSockets, readDestination, type RequestDeadlines } from "./client-sockets.ts";
import type { OpenRoute, Route } from "./open-route.ts";

const NO_PASSWORD = 0;

const USER_AND_PASSWORD = 2;

const NO_METHOD = 255;

const CONNECT = 1;

/** Reply codes of RFC 1928. */
const REPLY = { open: 0, refused: 2, failed: 4, unknownCommand: 7, unknownAddress: 8 } as const;

/**
 * Serves a SOCKS5 client whose first byte was read (RFC 1928), with or without a user name (RFC 1929). Whoever speaks
 * anything else is disconnected.
 */
export async function serveSocks(
  client: Socket,
  {
    openRoute,
    deadlines,
    idleTime,
  }: { readonly openRoute: OpenRoute; readonly deadlines: RequestDeadlines; readonly idleTime: number },
): Promise<void> {
  try {
    const { id, authority } = await readGreeting(client);
    deadlines.stop(client);
    if (typeof authority === "number") return endWith(client, authority);
    const route: Route = await openRoute(readDestination(authority), id, client);
    if (route.kind !== "open") return endWith(client, REPLY[route.kind]);
    client.write(reply(REPLY.open));
    joinSockets(client, route.upstream, idleTime);
  } catch {
    // Not SOCKS, or the client left.
    client.destroy();
  }
}

const reply = (code: number) => Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]);

function endWith(client: Socket, code: number): void {
  client.end(reply(code));
  client.destroySoon();
}

async function readGreeting(client: Socket) {
  using reader = byteReader(client);
  return { id: await readUser(client, reader), authority: await readRequest(reader) };
}

async function readUser(client: Socket, reader: ByteReader): Promise<string | undefined> {
  const methods = await reader.take(await takeByte(reader));
  if (methods.includes(USER_AND_PASSWORD)) {
    client.write(Buffer.from([5, USER_AND_PASSWORD]));
    if ((await takeByte(reader)) !== 1) throw new Error("unknown version of the password exchange");
    const user = await reader.take(await takeByte(reader));
    await reader.take(await takeByte(reader));
    client.write(Buffer.from([1, 0]));
    return user.toString("latin1");
  }
  if (!methods.includes(NO_PASSWORD)) {
    client.end(Buffer.from([5, NO_METHOD]));
    throw new Error("no known method");
  }
  client.write(Buffer.from([5, NO_PASSWORD]));
  return undefined;
}

/** The `host:port` that is asked for, or the reply code for a request that is not served. */
async function readRequest(reader: ByteReader): Promise<string | number> {
  const [version, command, , kind = 0] = await reader.take(4);
  if (version !== 5) throw new Error("not SOCKS5");
  const host = await readHost(reader, kind);
  if (host === undefined) return REPLY.unknownAddress;
  const port = (await reader.take(2)).readUInt16BE();
  return command === CONNECT ? `${host}:${port}` : REPLY.unknownCommand;
}

async function readHost(reader: ByteReader, kind: number): Promise<string | undefined> {
  if (kind === 1) return (await reader.take(4)).join(".");
  if (kind === 3) return (await reader.take(await takeByte(reader))).toString("utf8");
  if (kind !== 4) return undefined;
  const groups = (await reader.take(16)).toString("hex").match(/.{4}/g) ?? [];
  return `[${groups.join(":")}]`;
}

async function takeByte(reader: ByteReader): Promise<number> {
  return (await reader.take(1)).readUInt8();
}

/** Reads exact numbers of bytes from a socket that nobody else reads. */
interface ByteReader extends Disposable {
  /** Throws if the client leaves before it has sent so many. */
  readonly take: (size: number) => Promise<Buffer>;
}

/** Disposing of it leaves the rest of the bytes to whoever reads the socket next. */
function byteReader(client: Socket): ByteReader {
  let wake = () => {};
  // One listener for all reads: a new one is called at once while bytes are waiting, however few, and would never rest.
  const onMore = () => wake();
  const events = ["readable", "end", "close"] as const;
  for (const event of events) client.on(event, onMore);
  return {
    async take(size) {
      if (size === 0) return Buffer.alloc(0);
      for (;;) {
        const chunk: unknown = client.read(size);
        if (chunk instanceof Buffer && chunk.length === size) return chunk;
        if (chunk !== null || client.readableEnded || client.destroyed) throw new Error("the client left");
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    [Symbol.dispose]() {
      for (const event of events) client.off(event, onMore);
    },
  };
}
