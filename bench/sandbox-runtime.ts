import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";

const LIBRARY = join(
  import.meta.dirname,
  "../test/agents/.install/node_modules/@anthropic-ai/sandbox-runtime/dist/index.js",
);

const opened = z.object({ command: z.string(), openMs: z.number(), wrapMs: z.number() });

export interface SandboxRuntime extends z.infer<typeof opened>, AsyncDisposable {}

/**
 * The field's library, open in `cwd`: the shell line that runs `line` in it, the time it took to open, and the work it
 * does for each line. Undefined where `npm run test:agents -- --install` has not put it or it cannot start, which is told.
 */
export async function openSandboxRuntime(line: string, cwd: string): Promise<SandboxRuntime | undefined> {
  if (!existsSync(LIBRARY)) {
    console.error("sandbox-runtime is not installed, so it is not measured: npm run test:agents -- --install");
    return undefined;
  }
  const program = join(import.meta.dirname, "sandbox-runtime.mjs");
  const child = spawn(process.execPath, [program, LIBRARY, line], { cwd, stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  for await (const text of createInterface({ input: child.stdout })) {
    const close = async () => {
      child.stdin.end();
      await ended;
    };
    return { ...opened.parse(JSON.parse(text)), [Symbol.asyncDispose]: close };
  }
  console.error("sandbox-runtime did not start, so it is not measured; it needs bwrap, socat and rg");
  return undefined;
}
