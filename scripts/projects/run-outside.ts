import { spawnSync } from "node:child_process";
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { isInside } from "../../src/lib/path/inside.ts";

const ROOT = join(import.meta.dirname, "../..");

/** The person's environment without what `npm run` and this checkout added to it. */
export function projectEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^npm_|^INIT_CWD$|^NODE$|^NODE_ENV$/.test(name));
  const path = (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => !isInside(resolve(folder), ROOT) && !/[/]node_modules[/]|node-gyp-bin$/.test(folder));
  return { HOME: homedir(), ...Object.fromEntries(kept), PATH: path.join(delimiter) };
}

/** Runs a program that must succeed, and returns what it printed. */
export function runOutside(
  program: string,
  args: readonly string[],
  place: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): string {
  const env = { ...projectEnvironment(), ...place.env };
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: place.cwd, env, encoding: "utf8" });
  if (status === 0) return stdout;
  throw new Error(`${program} ${args.join(" ")} failed: ${error?.message ?? stderr.trim()}`);
}
