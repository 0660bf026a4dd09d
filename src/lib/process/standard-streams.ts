import { readSync, writeSync } from "node:fs";
import { printable } from "../text/printable.ts";
import { errorCode, EXIT, UserError } from "../text/user-error.ts";

const STDERR = 2;

/**
 * Prints a line for the person on stderr, synchronously. Creating the stream object instead adds 2 ms to every start.
 */
export function say(text: string): void {
  try {
    writeSync(STDERR, `signalbox: ${printable(text)}\n`);
  } catch {
    // Nobody reads stderr, and the message is not worth failing for.
  }
}

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

/** A full disk behind stdout becomes a user error. Every other error is returned unchanged. */
export function stdoutFull(error: Error): Error {
  if (!("syscall" in error) || error.syscall !== "write") return error;
  return new UserError(`cannot write the output (${errorCode(error)})`, {
    fix: "free some space there",
    exitCode: EXIT.failed,
    cause: error,
  });
}
