import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { atomicWrite } from "../lib/files/atomic-write.ts";
import { makeFolder } from "../lib/files/make-folder.ts";
import { packageFolder, runsFromSources } from "../lib/path/package-folder.ts";
import { launchesFolder, serversFolder } from "../hooks/server-protocol.ts";
import { systemProgram } from "../lib/path/find-program.ts";
import { plainEntry, servedEntry } from "../hooks/client/wrappers.ts";

/** Shorter than the timeout that agents have for a staged hook. */
const SECONDS = 25;

export const entryPath = (home: string) => join(home, "bin", "hook");

/**
 * Writes this machine's program that staged wrappers call; it says where Node and the bundle are. Returns true if it
 * was missing or stale and has been written. A current one is left alone.
 */
export function writeEntry(home: string): boolean {
  if (isEntryCurrent(home)) return false;
  const folder = join(home, "bin");
  makeFolder(folder);
  makeFolder(serversFolder(home));
  atomicWrite(entryPath(home), entryText(home), 0o700);
  return true;
}

export function isEntryCurrent(home: string): boolean {
  const path = entryPath(home);
  try {
    return readFileSync(path, "utf8") === entryText(home) && (statSync(path).mode & 0o777) === 0o700;
  } catch {
    return false;
  }
}

function entryText(home: string): string {
  const bundle = [...deadline(), process.execPath, program("hook")];
  const bash = systemProgram("bash");
  const setsid = systemProgram("setsid");
  // The server finds the agent in /proc and runs in its own session.
  if (process.platform !== "linux" || bash === undefined || setsid === undefined) return plainEntry(bundle);
  const server = [setsid, process.execPath, program("serve")];
  return servedEntry({
    bash,
    bundle,
    server,
    servers: serversFolder(home),
    launches: launchesFolder(home),
    seconds: SECONDS,
  });
}

const program = (name: "hook" | "serve") =>
  join(packageFolder(), runsFromSources ? `src/hooks/${name}.ts` : `dist/${name}.cjs`);

/** A command that ends the bundle if it hangs. */
function deadline(): readonly string[] {
  if (existsSync("/usr/bin/timeout")) return ["/usr/bin/timeout", "-s", "KILL", String(SECONDS)];
  if (existsSync("/usr/bin/perl")) return ["/usr/bin/perl", "-e", "alarm shift; exec @ARGV", String(SECONDS)];
  return [];
}
