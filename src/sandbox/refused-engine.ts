import { closeSync, openSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { systemProgram } from "../lib/system-program.ts";
import type { CoveredFile } from "./session-argv.ts";

const SOCKET = "engine";
const MAX_CONNECTIONS = 32;

/** In the place of the container engine's socket: answers every request with the reason why there is none inside. */
export interface RefusedEngine extends Disposable {
  readonly covered: readonly CoveredFile[];
}

const REFUSAL =
  "blocked by the sandbox: the container engine, which could reach everything on this machine. To run it outside: signalbox outside -- CMD";

/** Starts to listen in a session's folder, if this machine has a client that would ask. */
export async function openRefusedEngine(
  folder: string,
  onRefused: (text: string) => void,
  client = systemProgram("docker"),
): Promise<RefusedEngine> {
  if (client === undefined) return { covered: [], [Symbol.dispose]: () => undefined };
  const server = createServer((request, response) => {
    request.resume();
    // Clients ask for the version first, and do not show what that answers.
    if (request.url?.endsWith("/_ping") !== true) onRefused(REFUSAL);
    response.writeHead(403, { "Content-Type": "application/json", Connection: "close" });
    response.end(JSON.stringify({ message: REFUSAL }));
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on("clientError", (_, socket) => socket.destroy());
  // Through a descriptor, because a socket's path may be at most 107 bytes long.
  const descriptor = openSync(folder, "r");
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(`/proc/self/fd/${descriptor}/${SOCKET}`, resolve);
    });
  } finally {
    closeSync(descriptor);
  }
  server.unref();
  return {
    covered: [{ source: join(folder, SOCKET), path: "/run/docker.sock" }],
    [Symbol.dispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
