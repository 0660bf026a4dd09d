import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { NetworkLists } from "../../src/contract/policy.ts";
import type { DoorParts, DoorRecord } from "../../src/sandbox/door/door-records.ts";
import { serveDoor } from "../../src/sandbox/door/serve-door.ts";

/** A policy's host lists that open nothing but what `changes` say. */
export const lists = (changes: Partial<NetworkLists> = {}): NetworkLists => ({
  mode: "allowlist",
  allow: [],
  deny: [],
  schemes: ["https", "http"],
  ports: [],
  blockPrivate: true,
  unlisted: "ask",
  ...changes,
});

/** Listens on a loopback port until the test ends. */
export async function listening<S extends Server>(server: S): Promise<{ readonly server: S; readonly port: number }> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    socket.on("error", () => undefined);
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { server, port: portOf(server) };
}

const portOf = (server: Server): number => {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === "string") throw new Error("the server does not listen on a port");
  return address.port;
};

/**
 * A door on a loopback port. Every name resolves to a public address, and every connection that the door opens is led to
 * `upstreamPort` instead, so that nothing leaves the machine.
 */
export async function doorScene(given: Partial<DoorParts> & { readonly upstreamPort?: number } = {}) {
  const { upstreamPort, ...parts } = given;
  const records: DoorRecord[] = [];
  const refusals: { readonly id: string; readonly text: string }[] = [];
  const dialed: string[] = [];
  const { server, port } = await listening(createServer());
  const door = serveDoor(server, {
    policy: () => lists({ allow: ["example.com", "example.com:8080"] }),
    commandOf: (id) => (id.startsWith("c") ? `command ${id}` : undefined),
    isLent: () => false,
    isTainted: () => false,
    onRecord: (record) => records.push(record),
    onRefused: (id, text) => refusals.push({ id, text }),
    resolve: async () => ["93.184.216.34"],
    connect: (addresses, to) => {
      dialed.push(`${addresses.join(",")}:${to}`);
      return connect({ host: "127.0.0.1", port: upstreamPort ?? to, allowHalfOpen: true });
    },
    ...parts,
  });
  onTestFinished(() => door[Symbol.dispose]());
  return { door, server, port, records, refusals, dialed };
}

/** Resolves when a socket is closed, also by an error. */
export const closed = (socket: Socket): Promise<void> => new Promise((done) => void socket.once("close", () => done()));

/** Sends bytes, ends its side unless told not to, and returns everything that comes back until the other side closes. */
export async function exchange(port: number, bytes: string | Buffer, { end = true } = {}): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port, allowHalfOpen: end });
  socket.on("error", () => undefined);
  if (end) socket.end(bytes);
  else socket.write(bytes);
  let text = "";
  socket.setEncoding("latin1");
  socket.on("data", (chunk: string) => (text += chunk));
  await closed(socket);
  return text;
}

/** A client that stays connected: waits for what the other side sends, piece by piece. */
export async function openClient(port: number) {
  const socket = connect({ host: "127.0.0.1", port });
  socket.on("error", () => undefined);
  await once(socket, "connect");
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
  const until = async (wanted: string | RegExp): Promise<string> => {
    while (typeof wanted === "string" ? !text.includes(wanted) : !wanted.test(text)) {
      if (socket.destroyed) throw new Error(`the connection closed after ${JSON.stringify(text)}`);
      await new Promise<void>((done) => {
        socket.once("data", () => done());
        socket.once("close", () => done());
      });
    }
    return text;
  };
  return { socket, until };
}
