import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

const CHUNK_BYTES = 1024 * 1024;

/** The id that git gives to a file with this content, in a repository whose ids have this length. */
export const blobId = (content: Uint8Array, idLength: number): string =>
  createHash(idLength === 40 ? "sha1" : "sha256")
    .update(`blob ${content.length}\0`)
    .update(content)
    .digest("hex");

/** The SHA-256 of a regular file of any size, in hexadecimal. Never blocks on a FIFO or device. */
export function hashFile(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(file).isFile()) throw new Error("not a regular file");
    const hash = createHash("sha256");
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) hash.update(chunk.subarray(0, read));
    return hash.digest("hex");
  } finally {
    closeSync(file);
  }
}
