import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const pinned = join(root, "test/agents");
const install = join(pinned, ".install");

/** Puts the pinned agents into an ignored folder, unless the ones there are from the same lockfile. */
function installAgents(): void {
  const lock = (folder: string) => readFileSync(join(folder, "package-lock.json"), "utf8");
  const current = existsSync(join(install, "node_modules/.package-lock.json")) && lock(install) === lock(pinned);
  if (!current) {
    mkdirSync(install, { recursive: true });
    for (const file of ["package.json", "package-lock.json"]) copyFileSync(join(pinned, file), join(install, file));
    run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], install);
  }
  // An npm that runs no install scripts leaves Claude Code without its program.
  const claude = join(install, "node_modules/@anthropic-ai/claude-code");
  if (spawnSync(join(claude, "bin/claude.exe"), ["--version"]).status !== 0)
    run(process.execPath, ["install.cjs"], claude);
}

function run(program: string, args: readonly string[], cwd: string): void {
  const { status } = spawnSync(program, args, { cwd, stdio: "inherit" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} failed in ${cwd}`);
}

installAgents();
const args = process.argv.slice(2);
if (!args.includes("--install"))
  run(join(root, "node_modules/.bin/vitest"), ["run", "--project", "agents", ...args], root);
