import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";

const root = join(import.meta.dirname, "..");
const bin = join(root, "node_modules/.bin");

const CHECKS: readonly (readonly [name: string, program: string, ...args: string[]])[] = [
  ["format", "oxfmt", "--check", "."],
  ["lint", "oxlint", "--type-aware", "--deny-warnings"],
  ["types", "tsc", "--noEmit"],
  ["dead code", "knip", "--no-progress"],
  ["architecture", "vitest", "run", "--project", "unit", "test/architecture.test.ts", "test/agent-ids.test.ts"],
];

/** Runs one tool; its output is shown only when it fails. */
async function check([name, program, ...args]: (typeof CHECKS)[number]): Promise<boolean> {
  const started = performance.now();
  const child = spawn(join(bin, program), args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (code === 0) console.log(`ok    ${name} (${seconds} s)`);
  else console.log(`FAIL  ${name} (${seconds} s)\n${(await output).join("\n").trim()}`);
  return code === 0;
}

const passed = await Promise.all(CHECKS.map(check));
process.exitCode = passed.every(Boolean) ? 0 : 1;
