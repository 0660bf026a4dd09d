import { lstatSync, readFileSync } from "node:fs";

/**
 * Unix sockets of other programs that exist now and that the sandbox would show. A read-only disk does not keep a
 * command from connecting to one, so each is covered.
 */
export function hostSockets(isHidden: (path: string) => boolean, table = readTable()): readonly string[] {
  const paths = table.split("\n").flatMap((line) => /^(?:\S+\s+){7}(\/.*)$/.exec(line)?.[1] ?? []);
  return [...new Set(paths)].filter((path) => !isHidden(path) && isSocket(path));
}

function readTable(): string {
  try {
    return readFileSync("/proc/net/unix", "utf8");
  } catch {
    // A kernel without Unix sockets in /proc shows none.
    return "";
  }
}

function isSocket(path: string): boolean {
  try {
    return lstatSync(path).isSocket();
  } catch {
    // Gone, or in a folder that commands cannot enter either.
    return false;
  }
}
