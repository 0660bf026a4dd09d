import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const pinned = join(root, "test/agents");
const install = join(pinned, ".install");

/** Installs the pinned agents into an ignored folder, unless those there come from the same lockfile. */
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

/**
 * Their platform packages are not available for every platform, so no lockfile of them installs everywhere; their
 * versions are exact. By folder, with a file that is there once they are installed.
 */
const UNLOCKED = {
  sdk: { spec: "@github/copilot-sdk@1.0.14", file: "@github/copilot-sdk/dist/index.js" },
  acpx: { spec: "acpx@0.19.1", file: "acpx/package.json" },
  opencode: { spec: "opencode-ai@1.18.33", file: "opencode-ai/bin/opencode.exe" },
} as const;

/** Installs such a package into its own folder. If it is not available, its tests are skipped. */
function installUnlocked(name: keyof typeof UNLOCKED): void {
  const { spec, file } = UNLOCKED[name];
  const folder = join(install, name);
  if (existsSync(join(folder, "node_modules", file))) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const args = ["install", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error", spec];
  if (spawnSync("npm", args, { cwd: folder, stdio: "inherit" }).status !== 0)
    console.error(`${spec} cannot be installed here; its tests are skipped`);
}

function run(program: string, args: readonly string[], cwd: string): void {
  const { status } = spawnSync(program, args, { cwd, stdio: "inherit" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} failed in ${cwd}`);
}

installAgents();
installUnlocked("sdk");
installUnlocked("opencode");
installUnlocked("acpx");
const args = process.argv.slice(2);
if (!args.includes("--install"))
  run(join(root, "node_modules/.bin/vitest"), ["run", "--project", "agents", ...args], root);
