import { execFile } from "node:child_process";
import { promisify, stripVTControlCharacters } from "node:util";
import { printable } from "../lib/printable.ts";

const TIMEOUT_MS = 5000;
const MOST_CHARACTERS = 80;

/** The first line that a program prints, bounded in time and length, or undefined when it fails. */
export async function firstLine(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  try {
    const options = { env, timeout: TIMEOUT_MS, killSignal: "SIGKILL", maxBuffer: 65_536 } as const;
    const running = promisify(execFile)(program, [...args], options);
    running.child.stdin?.end();
    const { stdout } = await running;
    const line = stripVTControlCharacters(stdout).trim().split("\n")[0] ?? "";
    return line === "" ? undefined : printable(line).slice(0, MOST_CHARACTERS);
  } catch {
    return undefined;
  }
}
