import { spawn } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { findProgram } from "../src/lib/path/find-program.ts";

const root = join(import.meta.dirname, "..");
const bin = join(root, "node_modules/.bin");

const CHECKS: readonly (readonly [name: string, program: string, ...args: string[]])[] = [
  ["format", "oxfmt", "--check", "."],
  ["lint", "oxlint", "--type-aware", "--deny-warnings"],
  ["types", "tsc", "--noEmit"],
  ["types of the page", "tsc", "--noEmit", "-p", "page"],
  ["dead code", "knip", "--no-progress"],
  ["architecture", "vitest", "run", "--project", "unit", "test/architecture.test.ts", "test/agent-ids.test.ts"],
];

/** Files without a `#!` line are sourced by others and checked there. */
const SCRIPTS = [
  "bin/signalbox",
  "shims/copilot",
  ".ci/run",
  ...globSync(["sandbox-init/*.sh", "scripts/*.sh", "src/hooks/client/*.sh"], { cwd: root }),
].filter((file) => readFileSync(join(root, file), "utf8").startsWith("#!"));

/** shellcheck is not an npm package. It runs if it is installed; .ci/run installs it. */
function shellChecks(): typeof CHECKS {
  const program = findProgram("shellcheck", process.env["PATH"] ?? "");
  if (program !== undefined) return [["shell scripts", program, "-x", "-a", "-P", "SCRIPTDIR", ...SCRIPTS]];
  console.log("skip  shell scripts: shellcheck is not installed");
  return [];
}

/** Runs one tool; its output is shown only when it fails. */
async function check([name, program, ...args]: (typeof CHECKS)[number]): Promise<boolean> {
  const started = performance.now();
  const child = spawn(resolve(bin, program), args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const code = await new Promise<number | null>((done) => child.on("close", done));
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (code === 0) console.log(`ok    ${name} (${seconds} s)`);
  else console.log(`FAIL  ${name} (${seconds} s)\n${(await output).join("\n").trim()}`);
  return code === 0;
}

const passed = await Promise.all([...CHECKS, ...shellChecks()].map(check));
process.exitCode = passed.every(Boolean) ? 0 : 1;
