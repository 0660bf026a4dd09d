import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { expect, test } from "vitest";
import { buildLibrary } from "../../scripts/build-library.ts";
import { PROJECT } from "../support/run-signalbox.ts";
import { tempFolder, tempRepository } from "../support/temp-folder.ts";

/** The packed tarball, unpacked as a dependency of the project in `cwd`. */
async function installTarball(cwd: string): Promise<void> {
  const place = tempFolder();
  copyFileSync(join(PROJECT, "package.json"), join(place, "package.json"));
  cpSync(join(PROJECT, "docs"), join(place, "docs"), { recursive: true });
  await buildLibrary(join(place, "dist/library"));
  const env = { PATH: process.env["PATH"], HOME: place, npm_config_cache: join(place, "cache") };
  execFileSync("npm", ["pack", "--ignore-scripts", "--pack-destination", place], { cwd: place, env, stdio: "ignore" });
  const tarball = readdirSync(place).find((name) => name.endsWith(".tgz")) ?? "";
  const installed = join(cwd, "node_modules/signalbox");
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", join(place, tarball), "--strip-components=1", "-C", installed]);
  for (const name of ["zod", "@types", "@agentclientprotocol", "undici-types"])
    symlinkSync(join(PROJECT, "node_modules", name), join(cwd, "node_modules", name));
}

/** The first Node on PATH that is older than ours, such as the one that a distribution brings. */
function olderNode(): { readonly path: string; readonly version: readonly number[] } | undefined {
  for (const folder of (process.env["PATH"] ?? "").split(":")) {
    const path = join(folder, "node");
    if (!isAbsolute(path) || !existsSync(path)) continue;
    const version = execFileSync(path, ["-p", "process.versions.node"], { encoding: "utf8" }).split(".").map(Number);
    if ((version[0] ?? 0) < 24) return { path, version };
  }
  return undefined;
}

const older = olderNode();

test.skipIf(older === undefined)("an older Node loads the library, or is told which one it needs", async () => {
  const folder = tempFolder();
  await buildLibrary(join(folder, "library"));
  const loaded = (name: string) => {
    const code = `import(process.argv[1]).then((library) => console.log(typeof library), (error) => console.log(error.name, error.message))`;
    const argv = ["--input-type=module", "-e", code, join(folder, "library", name)];
    return execFileSync(older?.path ?? "", argv, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  };
  const [major = 0, minor = 0] = older?.version ?? [];
  expect(loaded("agents.js")).toBe("object");
  expect(loaded("backplane.js")).toEqual(
    major > 22 || (major === 22 && minor >= 13)
      ? "object"
      : expect.stringMatching(/^UserError signalbox\/backplane needs Node 22\.13 or newer, and this is v/),
  );
});

const EXAMPLES = readdirSync(join(PROJECT, "docs/examples")).filter((name) => name.endsWith(".ts"));

test(
  "the documented examples run against the packed library, and compile strictly with its declarations",
  { timeout: 240_000 },
  async () => {
    const cwd = tempRepository();
    await installTarball(cwd);
    for (const name of EXAMPLES) copyFileSync(join(PROJECT, "docs/examples", name), join(cwd, name));
    writeFileSync(join(cwd, "package.json"), '{"type":"module"}');

    const env = { PATH: process.env["PATH"], HOME: join(cwd, "home") };
    const run = (name: string) =>
      execFileSync(process.execPath, [name], { cwd, env, encoding: "utf8" }).trim().split("\n");
    expect(run("run-work-order.ts")).toEqual([
      "run_started",
      "tool_call",
      "tool_result",
      "assistant_message",
      "run_completed",
      "complete accepted 0",
    ]);
    expect(existsSync(join(cwd, "made.txt"))).toBe(true);
    expect(run("own-host.ts")).toEqual([
      'deploy it: allow 6 {"allow":1,"ask":1,"deny":0}',
      'deploy it: deny 7 {"allow":0,"ask":1,"deny":1}',
    ]);
    expect(run("receipts-and-prompts.ts")).toEqual([
      "3 false partial true",
      "true true",
      "a task",
      "the work order",
      "codex auto",
      "stdin amplifier refuses stdin delivery: Amplifier documents only `amplifier run [OPTIONS] [PROMPT]`, and no other channel has been verified; use auto or argv",
      "claude stdin 5000",
      "true 40000 small",
    ]);

    const strict = [
      "--noEmit",
      "--strict",
      "--exactOptionalPropertyTypes",
      "--module",
      "nodenext",
      "--target",
      "esnext",
    ];
    const checked = ["--types", "node", "--skipLibCheck", "false", ...EXAMPLES];
    const tsc = join(PROJECT, "node_modules/.bin/tsc");
    expect(execFileSync(tsc, [...strict, ...checked], { cwd, encoding: "utf8" })).toBe("");
  },
);
