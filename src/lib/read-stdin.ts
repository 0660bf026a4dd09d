import { readSync } from "node:fs";
import { errorCode } from "./error-code.ts";

const CHUNK = 65_536;
const WAIT_MS = 2;

/** All of standard input. Waits for it even if our parent made it non-blocking. */
export function readStdin(): Buffer {
  const chunks: Buffer[] = [];
  const buffer = Buffer.alloc(CHUNK);
  for (;;) {
    try {
      const size = readSync(0, buffer, 0, CHUNK, null);
      if (size === 0) return Buffer.concat(chunks);
      chunks.push(Buffer.from(buffer.subarray(0, size)));
    } catch (error) {
      if (errorCode(error) === "EOF") return Buffer.concat(chunks);
      if (errorCode(error) !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
    }
  }
}
