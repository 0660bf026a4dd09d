import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { atomicWrite } from "../lib/atomic-write.ts";
import { makeFolder } from "../lib/make-folder.ts";
import { packageRoot, runsFromSources } from "../lib/package-root.ts";
import { shQuote } from "../lib/sh-quote.ts";

/** Less than what the agents are told to wait for a staged hook. */
const SECONDS = 25;

export const entryPath = (home: string) => join(home, "bin", "hook");

/**
 * Writes the program of this machine that staged wrappers call: where Node and the bundle are. True when it was missing
 * or stale and is new now; a current one is left alone.
 */
export function writeEntry(home: string): boolean {
  if (isEntryCurrent(home)) return false;
  const folder = join(home, "bin");
  makeFolder(folder);
  atomicWrite(entryPath(home), entryText(), 0o700);
  return true;
}

export function isEntryCurrent(home: string): boolean {
  const path = entryPath(home);
  try {
    return readFileSync(path, "utf8") === entryText() && (statSync(path).mode & 0o777) === 0o700;
  } catch {
    return false;
  }
}

function entryText(): string {
  const bundle = join(packageRoot(), runsFromSources ? "src/hooks/hook.ts" : "dist/hook.cjs");
  return `#!/bin/sh
# What the staged hooks of every repository call. Written by signalbox for this machine; not to be edited.
unset ENV BASH_ENV NODE_OPTIONS NODE_EXTRA_CA_CERTS NODE_PATH NODE_REPL_EXTERNAL_MODULE LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES
exec ${[...deadline(), process.execPath, bundle].map(shQuote).join(" ")} --staged "$@"
`;
}

/** A program that ends a bundle that hangs. */
function deadline(): readonly string[] {
  if (existsSync("/usr/bin/timeout")) return ["/usr/bin/timeout", "-s", "KILL", String(SECONDS)];
  if (existsSync("/usr/bin/perl")) return ["/usr/bin/perl", "-e", "alarm shift; exec @ARGV", String(SECONDS)];
  return [];
}
