import { writeSync } from "node:fs";
import { Writable } from "node:stream";

const SHARED = { stdout: 1, stderr: 2 } as const;

/**
 * Keeps stdout and stderr blocking for the agent that shares them.
 * Node makes a pipe non-blocking as soon as its stream object is made, and closing any socket makes that of stderr;
 * an agent that then writes faster than its reader reads gets EAGAIN, and Codex ends with a panic.
 */
export function keepBlocking(): void {
  for (const [name, descriptor] of Object.entries(SHARED)) {
    const stream = new Writable({
      write(chunk: Uint8Array, _, done) {
        try {
          writeSync(descriptor, chunk);
          done();
        } catch (error) {
          done(error instanceof Error ? error : new Error(String(error)));
        }
      },
    });
    Object.defineProperty(process, name, { configurable: true, enumerable: true, get: () => stream });
  }
}
