import { spawnSync } from "node:child_process";
import { writeSync } from "node:fs";
import { isatty } from "node:tty";
import { Writable } from "node:stream";
import { systemProgram } from "../lib/system-program.ts";

/** Leaves the alternate screen, shows the cursor, turns off mouse reporting and bracketed paste, and resets colors. */
const TIDY = "\u001b[?1049l\u001b[?25h\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1006l\u001b[?2004l\u001b[0m";

/**
 * Saves the terminal's settings and returns a function that restores them. It also cleans up after an agent that did
 * not exit by itself.
 */
export function rememberTerminal(): (endedByItself: boolean) => void {
  if (!isatty(0)) return () => {};
  const saved = stty("-g");
  return (endedByItself) => {
    if (saved !== undefined) stty(saved);
    if (!endedByItself && isatty(1)) writeSync(1, TIDY);
  };
}

function stty(argument: string): string | undefined {
  const program = systemProgram("stty");
  if (program === undefined) return undefined;
  const { status, stdout } = spawnSync(program, [argument], { stdio: ["inherit", "pipe", "ignore"], encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

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
