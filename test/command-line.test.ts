import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { VERBS } from "../src/verbs.ts";
import { PROJECT, SIGNALBOX, signalbox } from "./support/run-signalbox.ts";
import { tempFolder } from "./support/temp-folder.ts";

test.each([["-v"], ["-V"], ["version"]])("%s prints the version too", async (word) => {
  expect(await signalbox([word])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: "" });
});

test("--version prints the version, also through a link from elsewhere", async () => {
  const link = join(tempFolder(), "sb");
  symlinkSync(SIGNALBOX, link);
  expect(await signalbox(["--version"])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: "" });
  expect(execFileSync(link, ["--version"], { encoding: "utf8" })).toBe(`${manifest.version}\n`);
});

test.each(VERBS.map((verb) => verb.name))("%s --help shows an example", async (verb) => {
  const { code, stdout, stderr } = await signalbox([verb, "--help"]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^Usage: signalbox /);
  expect(stdout).toMatch(/Examples?:\n[\s\S]*signalbox/);
  // Examples are copied, so they may be longer.
  const text = stdout.slice(0, stdout.search(/^Examples?:/m));
  expect(text.split("\n").filter((line) => line.length > 80)).toEqual([]);
});

/** The verbs of a help screen: in its rows before two spaces, or anywhere in rows that explain nothing. */
const verbsIn = (help: string) => {
  const words = new Set(
    help.split("\n").flatMap((line) => /^ {2}(\S.*?)(?: {2,}|$)/.exec(line)?.[1]?.split(" ") ?? []),
  );
  return VERBS.map(({ name }) => name).filter((name) => words.has(name));
};

test("help shows at most twelve verbs on one screen, and help --all every one", async () => {
  const [{ stdout: short }, { stdout: all }] = [await signalbox(["--help"]), await signalbox(["help", "--all"])];
  for (const help of [short, all]) {
    const lines = help.trimEnd().split("\n");
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  }
  expect([short.trimEnd().split("\n").length <= 24, all.trimEnd().split("\n").length <= 30]).toEqual([true, true]);
  expect(verbsIn(short).length).toBe(12);
  expect(verbsIn(all)).toEqual(VERBS.map(({ name }) => name));
  expect((await signalbox([])).stderr).toBe(short);
});

const PARTS = VERBS.flatMap(({ name, parts = {} }) =>
  Object.entries(parts).map(([part, { is }]): readonly [front: string, is: string] => [
    `${name} ${part}`,
    is.join(" "),
  ]),
);

test.each(PARTS)("%s has the help of %s, under its new name", async (front, is) => {
  const help = async (words: string) => await signalbox([...words.split(" "), "--help"]);
  const [now, before] = [await help(front), await help(is)];
  expect([now.code, before.code]).toEqual([0, 0]);
  expect(now.stdout.replaceAll(/\s+/g, " ")).toBe(
    before.stdout.replaceAll(`signalbox ${is} `, `signalbox ${front} `).replaceAll(/\s+/g, " "),
  );
  expect((await signalbox(["help", ...front.split(" ")])).stdout).toBe(now.stdout);
});

test("every older name is part of the verb that help names for it", () => {
  const older = VERBS.filter(({ nowIn }) => nowIn !== undefined);
  const fronts = older.map(({ name, nowIn }) =>
    VERBS.some((verb) => verb.name === nowIn && Object.values(verb.parts ?? {}).some(({ is }) => is[0] === name)),
  );
  expect(fronts).toEqual(older.map(() => true));
});

test("a part does what its older name does, with flags, words behind -- and errors", async () => {
  const env = { HOME: tempFolder() };
  const cwd = tempFolder();
  const both = async (front: readonly string[], is: readonly string[]) => {
    const outcome = await signalbox(front, { cwd, env });
    expect(await signalbox(is, { cwd, env })).toEqual(outcome);
    return outcome.code;
  };
  expect((await signalbox(["run", "mock", "hi"], { cwd, env })).code).toBe(0);
  expect(await both(["runs", "show", "last", "--json"], ["receipt", "show", "last", "--json"])).toBe(0);
  expect(await both(["runs", "verify"], ["receipt", "verify"])).toBe(0);
  expect(await both(["runs", "key"], ["key", "show"])).toBe(0);
  expect(await both(["runs", "cancel", "zzz"], ["cancel", "zzz"])).toBe(2);
  expect(await both(["runs", "prune", "--dry-run", "--json"], ["prune", "--dry-run", "--json"])).toBe(0);
  expect(await both(["guard", "audit", "verify"], ["audit", "verify"])).toBe(0);
  expect(await both(["guard", "trust", "--list"], ["trust", "--list"])).toBe(0);
  expect(await both(["context", "memory", "list", "--json"], ["memory", "list", "--json"])).toBe(0);
  expect(await both(["sandbox", "outside", "--", "echo", "a b"], ["outside", "--", "echo", "a b"])).toBe(0);
  const typo = await signalbox(["runs", "shwo"], { cwd, env });
  expect([typo.code, typo.stderr]).toEqual([2, expect.stringContaining("did you mean 'show'?")]);
});

test("a subcommand has its own help, also through help, with its own flags alone", async () => {
  const { stdout } = await signalbox(["receipt", "show", "--help"]);
  expect(stdout).toMatch(/^Usage: signalbox receipt show RUN \| FILE \[--diff\][\s\S]*--md [\s\S]*receipt show last\n/);
  expect(stdout).not.toMatch(/--allow-gone|--limit|Subcommands/);
  expect((await signalbox(["help", "receipt", "show"])).stdout).toBe(stdout);
});

test("no command at all shows the usage and is a usage error", async () => {
  const { code, stdout, stderr } = await signalbox([]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("Exit codes:");
});

test("a mistyped verb and a mistyped flag get a suggestion", async () => {
  const verb = await signalbox(["cluade"]);
  expect([verb.code, verb.stderr]).toEqual([2, expect.stringContaining("Did you mean claude?")]);
  const flag = await signalbox(["claude", "--promt-file", "x"]);
  expect([flag.code, flag.stderr]).toEqual([2, expect.stringContaining("Did you mean --prompt-file?")]);
});

test("an agent's flag before -- is a usage error that shows where it belongs", async () => {
  const { code, stderr } = await signalbox(["claude", "--model", "x"]);
  expect(code).toBe(2);
  expect(stderr).toContain("put it after --");
});

test.each([
  ["claude", "-p", "--version"],
  ["native", "-p", "--version"],
  ["run", "codex", "--task", "--version"],
])("%s %s %s: the value of a flag is never taken for --version", async (...args) => {
  const { code, stdout } = await signalbox(args, { cwd: tempFolder(), env: { PATH: "/usr/bin:/bin" } });
  expect(stdout).not.toContain(manifest.version);
  expect(code).not.toBe(0);
});

test.each([
  ["two prompts", ["claude", "-p", "my secret", "-p", "my secret"], "It was passed twice"],
  ["a prompt without -p", ["claude", "my secret"], "pass a prompt with -p"],
  ["a prompt without -p for native", ["native", "my secret"], "pass a prompt with -p"],
  ["a prompt that begins like a flag", ["codex", "--my secret"], "pass a prompt with -p"],
  ["two prompts after --", ["native", "--", "my secret", "--my secret"], "put a single quoted prompt there"],
])("%s: the message helps and does not repeat the prompt", async (_, args, advice) => {
  const { code, stderr } = await signalbox(args);
  expect(code).toBe(2);
  expect(stderr).toContain(advice);
  expect(stderr).not.toContain("secret");
});

test("help about a mistyped verb names it and suggests one", async () => {
  const { code, stderr } = await signalbox(["help", "doctr"]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/unknown command 'doctr'\n\(Did you mean doctor\?\)/)]);
});

test.each([
  [["help"], "Exit codes:"],
  [["help", "native"], "Usage: signalbox native"],
  [["help", "sessions"], "Usage: signalbox sessions"],
  [["help", "help"], "Usage: signalbox"],
  [["help", "--help"], "Usage: signalbox"],
])("help that was asked for is no error: %j", async (args, text) => {
  const { code, stdout, stderr } = await signalbox(args);
  expect([code, stdout, stderr]).toEqual([0, expect.stringContaining(text), ""]);
});

test("auto has examples of its own", async () => {
  expect((await signalbox(["auto", "--help"])).stdout).toContain("signalbox auto --agent codex --task");
});

test("control characters of the command line are not printed raw", async () => {
  const { stderr } = await signalbox(["\u001b[31mred\u0007"]);
  expect(stderr).not.toContain("\u001b");
});

test("without any Node that is new enough the shim says what to do", () => {
  const root = tempFolder();
  for (const folder of ["bin", "src", "old"]) mkdirSync(join(root, folder));
  execFileSync("cp", [SIGNALBOX, join(root, "bin/signalbox")]);
  writeFileSync(join(root, "old/node"), "#!/bin/sh\necho v20.1.0\n", { mode: 0o755 });
  for (const tool of ["sh", "find", "head", "readlink"])
    symlinkSync(execFileSync("which", [tool], { encoding: "utf8" }).trim(), join(root, "old", tool));
  const run = (path: string) =>
    execFileSync(join(root, "bin/signalbox"), ["--version"], { env: { PATH: path }, encoding: "utf8", stdio: "pipe" });
  expect(() => run(join(root, "old"))).toThrowError(
    expect.objectContaining({
      status: 70,
      stderr: expect.stringContaining(`needs Node 24 or newer; found ${join(root, "old")}/node v20.1.0`),
    }),
  );
});

test("the shim runs the sources when there is no bundle, and NODE_OPTIONS does not reach it", async () => {
  const { code, stdout } = await signalbox(["--version"], { env: { NODE_OPTIONS: "--require=/nonexistent.cjs" } });
  expect([code, stdout]).toEqual([0, `${manifest.version}\n`]);
});

test("output to a reader that goes away is no fault", () => {
  const script = `"${SIGNALBOX}" doctor --json | head -c 1; echo " \${PIPESTATUS[0]}"`;
  expect(execFileSync("bash", ["-c", script], { encoding: "utf8", cwd: PROJECT })).toBe("{ 0\n");
});

test("an unknown shell is a usage error", async () => {
  expect((await signalbox(["completions", "tcsh"])).code).toBe(2);
});

test("agent --cwd looks from there, and a folder that is not there is a usage error", async () => {
  const there = await signalbox(["agent", "--cwd", tempFolder(), "--json"]);
  expect(JSON.parse(there.stdout)).toEqual({ agent: "copilot", source: "default", warnings: [] });
  expect((await signalbox(["agent", "--cwd", "/nonexistent"])).code).toBe(2);
});

test("prompt-plan prints the plan of a launch and starts nothing", async () => {
  const plan = async (...args: string[]) => JSON.parse((await signalbox(["prompt-plan", "--json", ...args])).stdout);
  expect(await plan("--agent", "codex", "--mode", "tempfile")).toEqual({
    agent: "codex",
    requested: "tempfile",
    selected: "stdin",
    warnings: ["requested tempfile is unsupported by codex; using stdin"],
  });
  expect(await plan("--agent", "amplifier", "--bytes", "131071")).toEqual({
    agent: "amplifier",
    requested: "auto",
    selected: "argv",
    warnings: [],
  });
  expect(await plan("--agent", "amplifier", "--mode", "stdin", "--bytes", "1")).toMatchObject({
    selected: null,
    error: expect.stringContaining("refuses stdin"),
  });
});

test.each([
  [["--agent", "nobody"]],
  [["--agent", "native"]],
  [["--agent", "claude", "--bytes", "-1"]],
  [["--agent", "claude", "--bytes", "1e9"]],
  [["--agent", "claude", "--mode", "pigeon"]],
  [[]],
])("prompt-plan %j is a usage error", async (args) => {
  const { code, stdout } = await signalbox(["prompt-plan", ...args]);
  expect([code, stdout]).toEqual([2, ""]);
});

test("output to a full disk is said, and is not internal error", () => {
  const run = spawnSync("sh", ["-c", `'${SIGNALBOX}' doctor --json >/dev/full`], { encoding: "utf8" });
  expect([run.status, run.stderr]).toEqual([
    1,
    "signalbox: cannot write the output (ENOSPC)\n  fix: free some space there\n",
  ]);
});

test("words after -- are refused by a verb that would drop them", async () => {
  const outcome = await signalbox(["runs", "--", "--disallowedTools", "Bash"]);
  expect([outcome.code, outcome.stdout, outcome.stderr]).toEqual([
    2,
    "",
    "signalbox: runs takes no arguments after --\n  where: --\n  fix: see: signalbox runs --help\n",
  ]);
});
