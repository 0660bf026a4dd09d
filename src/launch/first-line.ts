import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { hasStarted } from "../lib/has-started.ts";
import { printable } from "../lib/printable.ts";

const TIMEOUT_MS = 5000;
/** How long to wait for remaining output after the exit. */
const DRAIN_MS = 200;
const MAX_BYTES = 65_536;
const MAX_CHARACTERS = 80;

/** The first line that a program prints, limited in time and length; undefined if it prints none or fails. */
export async function firstLine(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "ignore"] });
  const code = new Promise<number | null>((resolve) => child.on("exit", resolve).on("error", () => resolve(null)));
  const closed = once(child, "close");
  closed.catch(() => {});
  if (!(await hasStarted(child))) return undefined;
  const timeout = setTimeout(() => child.kill("SIGKILL"), TIMEOUT_MS);
  try {
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => (text = (text + part).slice(0, MAX_BYTES)));
    // If the program left a daemon behind, the pipe stays open. Its own exit is enough, once its output has arrived.
    if ((await code) !== 0) return undefined;
    await Promise.race([closed, sleep(DRAIN_MS, undefined, { ref: false })]);
    const line = stripVTControlCharacters(text).trim().split("\n")[0] ?? "";
    return line === "" ? undefined : printable(line).slice(0, MAX_CHARACTERS);
  } finally {
    clearTimeout(timeout);
    child.stdout.destroy();
  }
}
