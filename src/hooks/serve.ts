import { rmSync } from "node:fs";
import { join } from "node:path";
import { signalboxHome } from "../lib/path/home-folder.ts";
import { serversFolder } from "./server-protocol.ts";
import { serveStaged } from "./staged-server.ts";

/** `serve.cjs AGENT KEY PID…`: started by the entry of staged wrappers on the second call of a session. */
async function main([agent = "", key = "", ...callers]: readonly string[]): Promise<void> {
  const home = signalboxHome();
  try {
    await serveStaged({ agent, key, callers: callers.map(Number), home, env: process.env });
  } finally {
    rmSync(join(serversFolder(home), `${key}.starting`), { force: true });
  }
}

void main(process.argv.slice(2)).finally(() => process.exit());
