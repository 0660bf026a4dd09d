import { writeSync } from "node:fs";
import { Writable } from "node:stream";

const SHARED = { stdout: 1, stderr: 2 } as const;

/**
 * Keeps stdout and stderr blocking for the agent that shares them. Node makes a pipe non-blocking when its stream
 * object is created, and closing any socket creates the one for stderr. An agent that then writes faster than its
 * reader reads gets EAGAIN, and Codex panics.
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
