import { existsSync } from "node:fs";
import { join } from "node:path";
import { fitsSocket } from "../../lib/fits-socket.ts";
import { systemProgram } from "../../lib/system-program.ts";
import type { HookClient } from "../client/launch-client.ts";

/** Bash opens a connection by itself, so it costs no further process; OpenBSD's nc is as quick. */
export function findClient(folder: string) {
  const bash = systemProgram("bash");
  if (bash !== undefined)
    return { socket: undefined, at: (port: number): HookClient => ({ kind: "bash", program: bash, port }) };
  const nc = ["/usr/bin/nc.openbsd", "/bin/nc.openbsd"].find((path) => existsSync(path));
  if (nc === undefined) return undefined;
  const socket = join(folder, "socket");
  if (!fitsSocket(socket)) return undefined;
  return { socket, at: (): HookClient => ({ kind: "nc", program: nc, socket }) };
}
