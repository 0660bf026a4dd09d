import { closeSync, constants, openSync, readSync } from "node:fs";

const BYTES = 256;

/** The first bytes of a file as latin1, as many as the system reads of a first line; empty for an unreadable file. */
export function readHead(path: string): string {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const head = Buffer.alloc(BYTES);
      return head.toString("latin1", 0, readSync(file, head));
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}
