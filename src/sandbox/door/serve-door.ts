import type { Server, Socket } from "node:net";
import { DOOR_LIMITS, type DoorParts, type HostTraffic, openBook } from "./door-records.ts";
import { BUSY, httpDoor } from "./http-door.ts";
import { type OpenRoute, routeOpener } from "./open-route.ts";
import { requestDeadlines } from "./client-sockets.ts";
import { serveSocks } from "./serve-socks.ts";

/** The only way from a sandbox to other machines. Disposing of it closes the server and every connection. */
export interface Door extends Disposable {
  /** What went to and from each host so far, and what was refused. */
  traffic(): readonly HostTraffic[];
}

const SOCKS_VERSION = 5;

/** Room for clients that are being told that the door is full. Beyond it they are disconnected without a word. */
const TURNED_AWAY = 64;

/**
 * Serves HTTP CONNECT, plain HTTP and SOCKS5 on a server that listens in the sandbox's network. Takes names, resolves
 * them itself, judges name and addresses by the policy, and connects to exactly the addresses it judged.
 */
export function serveDoor(server: Server, parts: DoorParts): Door {
  const limits = { ...DOOR_LIMITS, ...parts.limits };
  const book = openBook(parts.onRecord);
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  };
  const judgedRoute = routeOpener(parts, limits, book);
  const openRoute: OpenRoute = async (target, id, client) => {
    const route = await judgedRoute(target, id, client);
    if (route.kind === "open") keep(route.upstream);
    return route;
  };
  const deadlines = requestDeadlines(limits.requestTime);
  const http = httpDoor({ openRoute, deadlines, limits });
  const clients = new Set<Socket>();

  const serve = (client: Socket) => {
    client.on("error", () => client.destroy());
    client.once("close", () => clients.delete(client));
    clients.add(client);
    client.setTimeout(limits.idleTime, () => client.destroy());
    deadlines.start(client);
    if (clients.size > limits.connections) return void client.end(BUSY, () => client.destroy());
    readFirstByte(client, (first) => {
      if (first[0] === SOCKS_VERSION) return void serveSocks(client, { openRoute, deadlines, ...limits });
      client.unshift(first);
      http.emit("connection", client);
    });
  };

  // A client that has sent everything may still wait for the answer.
  Object.assign(server, { allowHalfOpen: true });
  server.maxConnections = limits.connections + TURNED_AWAY;
  server.on("connection", serve);
  // Accepting can fail when the process has no descriptors left; the next client may have more luck.
  server.on("error", () => undefined);
  return {
    traffic: book.traffic,
    [Symbol.dispose]() {
      server.off("connection", serve);
      server.close();
      for (const socket of [...clients, ...sockets]) socket.destroy();
    },
  };
}

function readFirstByte(client: Socket, then: (first: Buffer) => void): void {
  const leave = () => client.destroy();
  const look = () => {
    const first: unknown = client.read(1);
    if (!(first instanceof Buffer)) return;
    client.off("end", leave);
    client.off("readable", look);
    then(first);
  };
  client.once("end", leave);
  client.on("readable", look);
}
