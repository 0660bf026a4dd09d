import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { systemProgram } from "../../lib/system-program.ts";
import type { CommandOrder } from "./start-command.ts";

/** Most bytes that a detached command leaves in its output file. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Nobody of ours watches it, so the shell around it bounds the file and writes the exit code down. */
const WATCHED = '"$@" 2>&1 | { head -c MOST; exec cat >/dev/null; } >"$0"; echo "${PIPESTATUS[0]}" >"$0.exit"';

/** Starts a command that goes on when we end. Its output and exit code are in files. */
export async function startDetached(
  order: Omit<CommandOrder, "session" | "pipes">,
): Promise<{ readonly pid: number; readonly exitFile: string }> {
  const { argv, folder, environment, outputFile } = order;
  if (!existsSync(folder)) throw new Error(`the folder ${folder} does not exist`);
  const script = WATCHED.replace("MOST", String(MAX_BYTES));
  const child = spawn(systemProgram("bash") ?? "bash", ["--noprofile", "--norc", "-c", script, outputFile, ...argv], {
    cwd: folder,
    env: environment,
    stdio: "ignore",
    detached: true,
  });
  await once(child, "spawn");
  child.unref();
  return { pid: child.pid ?? 0, exitFile: `${outputFile}.exit` };
}
