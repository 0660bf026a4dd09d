import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { needs } from "./support/platform.ts";
import { SIGNALBOX, signalbox } from "./support/run-signalbox.ts";
import { standInAgent } from "./support/stand-in-agent.ts";
import { tempFolder, tempRepository } from "./support/temp-folder.ts";

const NASTY = 'it\'s $HOME `id` $(whoami) "quoted" \\ * \t é 😀\r\n';
const LONG = NASTY.repeat(2000);

function promptFile(content: string | Buffer): string {
  const path = join(tempFolder(), "task.md");
  writeFileSync(path, content);
  return path;
}

test.each([
  ["claude", ["-p"]],
  ["codex", ["exec", "-"]],
  ["copilot", []],
])("a long prompt from a file reaches %s on stdin, whole, and is in no argv", async (agent, argv) => {
  const { env, recorded } = standInAgent(agent);
  const outcome = await signalbox([agent, "--prompt-file", promptFile(LONG)], { cwd: tempRepository(), env });
  expect([outcome.code, recorded()?.argv, recorded()?.stdin]).toEqual([0, argv, LONG]);
  expect(outcome.stderr).not.toContain("quoted");
});

test("piped input is the prompt, beside the agent's own flags", async () => {
  const { env, recorded } = standInAgent("claude");
  await signalbox(["claude", "--", "--model", "m"], { cwd: tempRepository(), env, input: LONG });
  expect(recorded()).toMatchObject({ argv: ["-p", "--model", "m"], stdin: LONG });
});

// Node gives a child a socket as its stdin; a shell gives it a pipe or the file itself.
test.each([
  ["a shell's pipe", 'cat "$TASK" | "$0" claude'],
  ["a redirected file", '"$0" claude <"$TASK"'],
])("the prompt may come from %s", (_, script) => {
  const { env, recorded } = standInAgent("claude");
  const run = spawnSync("sh", ["-c", script, SIGNALBOX], {
    cwd: tempRepository(),
    env: { ...process.env, ...env, TASK: promptFile(LONG) },
  });
  expect([run.status, recorded()?.argv, recorded()?.stdin]).toEqual([0, ["-p"], LONG]);
});

test("a sole word after -- is the prompt, unless it is a command of the agent", async () => {
  const word = standInAgent("codex");
  await signalbox(["codex", "--", NASTY], { cwd: tempRepository(), env: word.env });
  expect(word.recorded()).toMatchObject({ argv: ["exec", "--", NASTY], stdin: "" });
  const command = standInAgent("codex");
  await signalbox(["codex", "--", "login"], { cwd: tempRepository(), env: command.env });
  expect(command.recorded()?.argv).toEqual(["login"]);
});

test("several words after -- and a request for information are passed on untouched, with stdin as it is", async () => {
  const { env, recorded } = standInAgent("codex");
  await signalbox(["codex", "--", "exec", "--json", "-"], { cwd: tempRepository(), env, input: "from the pipe" });
  expect(recorded()).toMatchObject({ argv: ["exec", "--json", "-"], stdin: "from the pipe" });
});

test.each([
  ["claude", ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]],
  ["claude", ["-p", "--input-format=stream-json"]],
  ["claude", ["mcp", "serve"]],
  ["copilot", ["--acp"]],
  ["copilot", ["--headless", "--no-auto-update", "--stdio"]],
  ["codex", ["app-server"]],
  ["codex", ["mcp-server"]],
  ["codex", ["exec", "-"]],
])("%s with %j speaks a protocol on stdin, and gets it", async (agent, words) => {
  const { env, recorded } = standInAgent(agent);
  const input = '{"type":"user","message":{"role":"user","content":"hi"}}\n';
  await signalbox([agent, "--unguarded", "--", ...words], { cwd: tempRepository(), env, input });
  expect(recorded()).toMatchObject({ argv: words, stdin: input });
});

test("a request for information does not wait for a stdin that stays open", async () => {
  const { env, recorded } = standInAgent("claude", 'printf "%s\\0" "$@" >"$RECORD/argv"; env -0 >"$RECORD/env"');
  let release = () => {};
  const open = new Promise<void>((resolve) => (release = resolve));
  const running = signalbox(["claude", "--", "--version"], { cwd: tempRepository(), env, keepStdinOpen: open });
  expect((await running).code).toBe(0);
  release();
  expect(recorded()?.argv).toEqual(["--version"]);
});

test.each([
  ["tempfile", "claude", LONG, ["-p"], "requested tempfile is unsupported by claude; using stdin"],
  ["STDIN", "codex", "short", ["exec", "-"], undefined],
  ["argv", "copilot", "short", ["-p", "short"], undefined],
  ["argv", "codex", LONG, ["exec", "--", LONG], undefined],
  ["pigeon", "claude", "short", ["-p", "--", "short"], "AMPLIHACK_PROMPT_DELIVERY is set to an unknown mode"],
])("AMPLIHACK_PROMPT_DELIVERY=%s is followed for %s", async (mode, agent, prompt, argv, warning) => {
  const { env, recorded } = standInAgent(agent);
  const modes = { ...env, AMPLIHACK_PROMPT_DELIVERY: mode };
  const outcome = await signalbox([agent, "--prompt-file", promptFile(prompt)], { cwd: tempRepository(), env: modes });
  expect([outcome.code, recorded()?.argv]).toEqual([0, argv]);
  // One line says that the program is not proven, one that it has called no hook.
  if (warning === undefined) expect(outcome.stderr.split("\n")).toHaveLength(3);
  else expect(outcome.stderr).toContain(warning);
});

test.each([
  ["with a prompt", ["amplifier", "-p", "x"]],
  ["passed through", ["amplifier", "--", "run", "x"]],
  ["for its version", ["amplifier", "--", "--version"]],
])("Amplifier refuses tempfile and stdin before anything is created or started, %s", async (_, args) => {
  for (const mode of ["tempfile", "stdin"]) {
    const { env, recorded } = standInAgent("amplifier");
    const cwd = tempRepository();
    const outcome = await signalbox(args, { cwd, env: { ...env, AMPLIHACK_PROMPT_DELIVERY: mode } });
    expect([outcome.code, recorded(), readdirSync(cwd)]).toEqual([3, undefined, [".git"]]);
    expect(outcome.stderr).toContain(`amplifier refuses ${mode} delivery`);
  }
});

test("Amplifier gets its prompt as the one positional of run", async () => {
  const { env, recorded } = standInAgent("amplifier");
  await signalbox(["amplifier", "-p", "explain it's auth", "--", "--verbose"], { cwd: tempRepository(), env });
  expect(recorded()?.argv).toEqual(["run", "--verbose", "explain it's auth"]);
});

test("Amplifier refuses a prompt that argv cannot carry, and names the limit", async () => {
  const { env, recorded } = standInAgent("amplifier");
  const outcome = await signalbox(["amplifier", "--prompt-file", promptFile("x".repeat(131_072))], {
    cwd: tempRepository(),
    env,
  });
  expect([outcome.code, recorded()]).toEqual([3, undefined]);
  expect(outcome.stderr).toContain("at most 131,071 bytes by argv");
});

test.each([
  ["empty", Buffer.alloc(0), 2, "the prompt is empty"],
  ["NUL", Buffer.from("a\0b"), 2, "the prompt contains a NUL byte\n  where: byte 1"],
  ["invalid UTF-8", Buffer.from([0xc3, 0x28]), 2, "the prompt is not valid UTF-8\n  where: byte 0"],
  ["11 MB", Buffer.alloc(11_000_000, 0x61), 3, "claude accepts at most 10,485,760 bytes by stdin"],
])("a prompt of %s is refused and nothing starts", async (_, prompt, code, message) => {
  const { env, recorded } = standInAgent("claude");
  const outcome = await signalbox(["claude", "--prompt-file", promptFile(prompt)], { cwd: tempRepository(), env });
  expect([outcome.code, recorded()]).toEqual([code, undefined]);
  expect(outcome.stderr).toContain(message);
});

test("8 MB and 131,072 bytes arrive whole", async () => {
  for (const size of [131_072, 8_000_000]) {
    const { env, recorded } = standInAgent("claude");
    const prompt = NASTY.repeat(Math.ceil(size / NASTY.length)).slice(0, size);
    const outcome = await signalbox(["claude", "--prompt-file", "-"], { cwd: tempRepository(), env, input: prompt });
    expect([outcome.code, recorded()?.stdin === prompt]).toEqual([0, true]);
  }
});

test.each([
  ["a missing file", "/nonexistent/task.md", "ENOENT"],
  ["a folder", "/", "EISDIR"],
])("%s as a prompt file is a usage error", async (_, path, code) => {
  const { env, recorded } = standInAgent("claude");
  const outcome = await signalbox(["claude", "--prompt-file", path], { cwd: tempRepository(), env });
  expect([outcome.code, recorded()]).toEqual([2, undefined]);
  expect(outcome.stderr).toContain(`cannot read the prompt file (${code})\n  where: ${path}`);
});

test("two prompts at once are a usage error", async () => {
  const { env, recorded } = standInAgent("claude");
  const outcome = await signalbox(["claude", "-p", "a", "--", "b"], { cwd: tempRepository(), env });
  expect([outcome.code, recorded()]).toEqual([2, undefined]);
  expect(outcome.stderr).toContain("more than one prompt was given");
});

test("an agent that exits without reading a large prompt gives its own exit code", async () => {
  const { env } = standInAgent("claude", "exec <&-; exit 9");
  const outcome = await signalbox(["claude", "--prompt-file", promptFile("x".repeat(8_000_000))], {
    cwd: tempRepository(),
    env,
  });
  expect(outcome.code).toBe(9);
});

test("with the prompt in argv the agent's stdin is closed, even when ours stays open", async () => {
  const { env, recorded } = standInAgent("codex");
  let release = () => {};
  const open = new Promise<void>((resolve) => (release = resolve));
  const running = signalbox(["codex", "-p", "short"], { cwd: tempRepository(), env, keepStdinOpen: open });
  expect((await running).code).toBe(0);
  release();
  expect(recorded()).toMatchObject({ argv: ["exec", "--", "short"], stdin: "" });
});

needs("/proc")("the agent's stdout and stderr stay blocking, whatever happens to the prompt's pipe", async () => {
  const script = `cat >/dev/null; exec <&-; sleep 0.3; exec 3>&1 4>&2; sed -s -n 2p /proc/$$/fdinfo/3 /proc/$$/fdinfo/4 >"$RECORD/flags"`;
  const { env } = standInAgent("claude", script);
  const outcome = await signalbox(["claude", "--prompt-file", promptFile(LONG.repeat(10))], {
    cwd: tempRepository(),
    env,
  });
  expect(outcome.code).toBe(0);
  const seen = readFileSync(join(env["RECORD"] ?? "", "flags"), "utf8").matchAll(/^flags:\s*(\d+)$/gm);
  // In octal, 4000 is O_NONBLOCK.
  expect([...seen].map((match) => Number.parseInt(match[1] ?? "", 8) & 0o4000)).toEqual([0, 0]);
});

test.each([
  ["claude", ["-p", "summarise this"]],
  ["claude", ["--verbose", "summarise this"]],
  ["codex", ["-m", "x", "exec", "sum"]],
  ["copilot", ["--model", "m", "-p", "do it"]],
  ["copilot", ["--prompt=do it"]],
])("what is piped to %s beside its own prompt %j goes to it as it is", async (name, passed) => {
  const { env, recorded } = standInAgent(name);
  const outcome = await signalbox([name, "--", ...passed], { cwd: tempRepository(), env, input: "PIPED" });
  expect([outcome.code, recorded()?.argv, recorded()?.stdin]).toEqual([0, passed, "PIPED"]);
});

test.each([
  [
    "claude",
    ["--model", "m", "--output-format", "json"],
    ["-p", "--model", "m", "--output-format", "json", "--", "PIPED"],
  ],
  ["codex", ["-m", "x", "--json"], ["exec", "-m", "x", "--json", "--", "PIPED"]],
  ["copilot", ["--model=m"], ["--model=m", "-p", "PIPED"]],
])("what is piped to %s beside flags and their values %j is the prompt", async (name, passed, argv) => {
  const { env, recorded } = standInAgent(name);
  await signalbox([name, "--", ...passed], { cwd: tempRepository(), env, input: "PIPED" });
  expect(recorded()?.argv).toEqual(argv);
});

test("a prompt beside a redirected file, and a flag given twice, are usage errors", async () => {
  const { env, recorded } = standInAgent("claude");
  const script = `'${SIGNALBOX}' claude -p hi <'${promptFile("other")}'`;
  const redirected = spawnSync("sh", ["-c", script], {
    cwd: tempRepository(),
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
  expect([redirected.status, redirected.stderr]).toEqual([
    2,
    expect.stringContaining("more than one prompt was given"),
  ]);
  const twice = await signalbox(["claude", "-p", "a", "-p", "b"], { cwd: tempRepository(), env });
  expect([twice.code, twice.stderr, recorded()]).toEqual([2, expect.stringContaining("passed twice"), undefined]);
});

test("bytes of the command line that are not UTF-8 are refused, a real U+FFFD is not", async () => {
  const { env, recorded } = standInAgent("claude");
  const script = `'${SIGNALBOX}' claude -p "$(printf 'a\\377b')"`;
  const run = spawnSync("bash", ["-c", script], {
    cwd: tempRepository(),
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
  expect([run.status, run.stderr, recorded()]).toEqual([2, expect.stringContaining("not valid UTF-8"), undefined]);
  await signalbox(["claude", "-p", "a\ufffdb"], { cwd: tempRepository(), env });
  expect(recorded()?.argv).toEqual(["-p", "--", "a\ufffdb"]);
});
