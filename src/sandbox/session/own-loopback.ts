import { createServer, type Server } from "node:net";
import { DOOR_PORT } from "./command-environment.ts";

interface WantedPorts {
  readonly door?: boolean | undefined;
  readonly ports?: readonly number[] | undefined;
}

/**
 * For forms in which loopback is the machine's own: the network door, on a port that is free, and the ports that the
 * caller will serve. They must not keep the launcher running.
 */
export async function listenOnLoopback({ door, ports = [] }: WantedPorts) {
  const listeners = new Map<number, Server>();
  if (door === true) listeners.set(DOOR_PORT, await listen(0));
  for (const port of ports) listeners.set(port, await listen(port));
  return listeners;
}

async function listen(port: number): Promise<Server> {
  const server = createServer().unref();
  return await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}

export function portOf(server: Server | undefined): number | undefined {
  const address = server?.address();
  return typeof address === "object" && address !== null ? address.port : undefined;
}
