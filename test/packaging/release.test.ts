import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildRelease } from "../../scripts/build-release.ts";
import { startScriptedModel } from "../../src/models/scripted/server.ts";
import { PROJECT } from "../support/run-signalbox.ts";
import { tempRepository } from "../support/temp-folder.ts";

/** The package as people install it: no sources, in a folder with a space. */
const place = realpathSync(mkdtempSync(join(tmpdir(), "signalbox release-")));

beforeAll(async () => {
  for (const part of ["bin", "package.json", "hosts", "recipes", "shims"])
    cpSync(join(PROJECT, part), join(place, part), { recursive: true });
  mkdirSync(join(place, "home"));
  symlinkSync(join(PROJECT, "node_modules"), join(place, "node_modules"));
  await buildRelease(join(place, "dist"));
}, 120_000);
afterAll(() => rmSync(place, { recursive: true, force: true }));

async function released(args: readonly string[], { cwd, env = {} }: { cwd: string; env?: NodeJS.ProcessEnv }) {
  const child = spawn(join(place, "bin/signalbox"), args, {
    cwd,
    env: { PATH: process.env["PATH"], HOME: join(place, "home"), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { stdout, stderr, code };
}

test("the release says its version and describes every verb", async () => {
  const cwd = tempRepository();
  const { version } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8"));
  expect((await released(["--version"], { cwd })).stdout).toBe(`${version}\n`);
  const { stdout } = await released(["help", "--all"], { cwd });
  const verbs = stdout
    .split("\n")
    // A line of a group has several verbs, and two spaces before what they do.
    .flatMap((line) => /^ {2}((?:[a-z-]+ ?)+?)(?: {2}|$)/.exec(line)?.[1]?.split(" ") ?? [])
    .filter((verb) => verb !== "help");
  expect(verbs.length).toBeGreaterThan(20);
  const helps = await Promise.all(verbs.map((verb) => released([verb, "--help"], { cwd })));
  expect(helps.map(({ code, stdout: help }) => [code, help.startsWith("Usage: signalbox ")])).toEqual(
    verbs.map(() => [0, true]),
  );
});

test("the release brings its recipes, and `files` has every folder that it needs", async () => {
  const { files } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8"));
  expect(files).toEqual(expect.arrayContaining(["bin", "dist", "hosts", "recipes", "shims"]));
  const { code, stdout } = await released(["recipe", "validate", "implement-feature"], { cwd: tempRepository() });
  expect([code, stdout]).toEqual([0, `${join(place, "recipes/implement-feature.yaml")}: valid\n`]);
});

test.each(["anthropic", "openai", "openai-chat", "compatible", "google"])(
  "the engine of the release works over %s, without Node's own fetch",
  async (provider) => {
    const script = { turns: [{ shell: "echo made > made.txt" }, { text: "Done." }] };
    await using model = await startScriptedModel({ script });
    const cwd = tempRepository();
    const loaded = join(cwd, "loaded.cjs");
    writeFileSync(
      loaded,
      `process.on("exit", () => require("node:fs").writeFileSync(${JSON.stringify(join(cwd, "modules.json"))}, JSON.stringify(process.moduleLoadList)));`,
    );
    const base = provider === "anthropic" || provider === "google" ? "" : "/v1";
    const args = ["--model", `${provider}/m`, "--base-url", `${model.url}${base}`];
    const child = spawn(
      process.execPath,
      ["--require", loaded, join(place, "dist/signalbox.cjs"), "native", "-p", "go", ...args],
      { cwd, env: { PATH: process.env["PATH"], HOME: cwd }, stdio: ["ignore", "pipe", "ignore"] },
    );
    const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
    expect({ stdout, code }).toEqual({ stdout: "Done.\n", code: 0 });
    expect(readFileSync(join(cwd, "made.txt"), "utf8")).toBe("made\n");
    expect(readFileSync(join(cwd, "modules.json"), "utf8")).not.toContain("undici");
  },
);

test("no bundle calls JSON.parse, not even in code of others", () => {
  const files = globSync("dist/**/*.{js,cjs}", { cwd: place });
  expect(files.length).toBeGreaterThan(50);
  expect(files.filter((file) => readFileSync(join(place, file), "utf8").includes("JSON.parse("))).toEqual([]);
});

test("the tools of the release find the programs that they start", async () => {
  const calls = [
    { name: "grep", input: { pattern: "nee.le" } },
    { name: "glob", input: { pattern: "hay/*" } },
    { name: "bash", input: { command: "cat hay/stack.txt | tr a-z A-Z" } },
  ];
  await using model = await startScriptedModel({ script: { turns: [{ calls }, { text: "Done." }] } });
  const cwd = tempRepository();
  mkdirSync(join(cwd, "hay"));
  writeFileSync(join(cwd, "hay/stack.txt"), "a needle\n");
  const args = ["native", "-p", "go", "--model", "anthropic/m", "--base-url", model.url];
  expect(await released(args, { cwd })).toMatchObject({ stdout: "Done.\n", code: 0 });
  const told = JSON.stringify(model.requests.at(-1)?.body);
  expect(told).toContain("hay/stack.txt:1:a needle");
  expect(told).toContain("A NEEDLE");
  expect(told).not.toContain("ripgrep is missing");
});

test("the compiled form of each part is taken, and that of another text is not", async () => {
  const dist = join(place, "dist");
  const asked = `const { load, scripts } = require(process.argv[1]);
    process.argv = [process.argv[0], process.argv[1], "--help"];
    for (const name of ["main", "native"]) load(name);
    console.log("rejected:", ...[...scripts.values()].map((script) => script.cachedDataRejected));`;
  const run = async (folder: string) => {
    const child = spawn(process.execPath, ["-e", asked, join(folder, "signalbox.cjs")], {
      cwd: tempRepository(),
      env: { HOME: join(place, "home") },
      stdio: ["ignore", "pipe", "inherit"],
    });
    return await text(child.stdout);
  };
  expect(await run(dist)).toContain("rejected: false false\n");
  const other = join(place, "other");
  cpSync(dist, other, { recursive: true });
  const part = readFileSync(join(other, "main.part.js"), "latin1").slice(68).replaceAll("Usage:", "Using:");
  writeFileSync(join(other, "main.part.js"), `/*${"0".repeat(64)}*/${part}`);
  // What a lost page leaves: the length is right, the end is not there.
  const whole = readFileSync(join(other, "native.compiled"));
  writeFileSync(join(other, "native.compiled"), whole.fill(0, whole.length / 2));
  const said = await run(other);
  expect(said).toContain("Using: signalbox");
  expect(said).toContain("rejected: undefined undefined\n");
});

test("a release that is not whole says so", async () => {
  const torn = join(place, "torn");
  cpSync(join(place, "dist"), torn, { recursive: true });
  const run = async () => {
    const child = spawn(process.execPath, [join(torn, "signalbox.cjs"), "--version"], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    return { stderr, code };
  };
  const damaged = {
    stderr: expect.stringMatching(/^signalbox: .*main\.part\.js is missing or damaged .*install signalbox again\n$/),
    code: 70,
  };
  const whole = readFileSync(join(torn, "main.part.js"));
  writeFileSync(join(torn, "main.part.js"), whole.subarray(0, whole.length / 2));
  expect(await run()).toEqual(damaged);
  rmSync(join(torn, "main.part.js"));
  expect(await run()).toEqual(damaged);
});

test("the release finds its own parts: doctor has no fault, and a launch starts the agent", async () => {
  const cwd = tempRepository();
  const { stdout, code } = await released(["doctor", "--json"], { cwd });
  expect([code, JSON.parse(stdout).checks.length > 5]).toEqual([0, true]);
  const env = { SIGNALBOX_CLAUDE_BINARY: process.execPath };
  expect((await released(["claude", "--", "--version"], { cwd, env })).stdout).toBe(`${process.version}\n`);
});
