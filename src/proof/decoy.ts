import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { InstalledHooks } from "../hooks/install/guarded-start.ts";
import { fitsSocket } from "../lib/fits-socket.ts";

type HookClient = NonNullable<InstalledHooks["parts"]["client"]>;

/** A misbehaving server in place of ours. */
export interface Decoy extends Disposable {
  /** How a wrapper reaches it, by the same means as it reaches ours. */
  readonly client: (like: HookClient) => HookClient;
}

/**
 * Listens on a port, and on a socket where that name is possible, like our own server. `serve` gets each connection
 * once its first bytes have arrived.
 */
export async function openDecoy(folder: string, name: string, serve: (socket: Socket) => void): Promise<Decoy> {
  const open: Socket[] = [];
  const take = (socket: Socket) => {
    open.push(socket);
    socket.on("error", () => socket.destroy());
    socket.once("data", () => serve(socket));
  };
  const path = join(folder, `${name}.socket`);
  const [onPort, onPath] = [createServer(take), createServer(take)];
  onPort.listen({ host: "127.0.0.1", port: 0 });
  await once(onPort, "listening");
  if (fitsSocket(path)) await once(onPath.listen({ path }), "listening");
  const port = portOf(onPort);
  return {
    client: (like) => (like.kind === "bash" ? { ...like, port } : { ...like, socket: path }),
    [Symbol.dispose]() {
      for (const socket of open) socket.destroy();
      onPort.close();
      onPath.close();
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  return address !== null && typeof address === "object" ? address.port : 0;
}
