import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isOnPath } from "./support/is-on-path.ts";
import { SIGNALBOX, signalbox } from "./support/run-signalbox.ts";
import { standInAgent } from "./support/stand-in-agent.ts";
import { tempFolder } from "./support/temp-folder.ts";
import { terminal, WAIT } from "./support/tmux-terminal.ts";
import { withoutSandbox } from "./support/without-sandbox.ts";

/** A home without a sandbox, because its trial takes a second. */
function scene(env: NodeJS.ProcessEnv = {}) {
  const home = withoutSandbox(tempFolder());
  const cwd = tempFolder();
  const folder = join(home, ".signalbox");
  const file = (name: string) => join(folder, name);
  return {
    home,
    cwd,
    file,
    text: (name: string) => (existsSync(file(name)) ? readFileSync(file(name), "utf8") : undefined),
    write: (name: string, text: string) => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(file(name), text);
    },
    run: (...args: readonly string[]) => signalbox(["setup", ...args], { cwd, env: { HOME: home, ...env } }),
  };
}

test("without a terminal, setup writes nothing and names the flags that answer its questions", async () => {
  const { run, text } = scene();
  const before = text("policy.yaml");
  const none = await run();
  expect([none.code, none.stdout]).toEqual([2, ""]);
  expect(none.stderr).toContain(
    "fix: pass --model NAME (or --no-model), --preset NAME, --prove (or --no-prove), --yes;",
  );
  expect((await run("--no-model", "--preset", "ci")).stderr).toContain("fix: pass --prove (or --no-prove), --yes;");
  expect([text("settings.yaml"), text("policy.yaml")]).toEqual([undefined, before]);
});

test("setup shows what it changes, keeps the rest of both files, and has nothing to do the second time", async () => {
  const { run, text, write } = scene();
  write("settings.yaml", "# mine\neffort: high # always\n");
  write("policy.yaml", "# my rules\nversion: 1\nsandbox: off # for now\n");
  const flags = ["--model", "anthropic/claude-haiku-4-5", "--preset", "read-only", "--no-prove", "--yes"];
  const first = await run(...flags);
  expect([first.code, first.stderr]).toEqual([
    0,
    "signalbox: no key for anthropic is set yet: export ANTHROPIC_API_KEY=…\n",
  ]);
  expect(first.stdout).toContain("+model: anthropic/claude-haiku-4-5\n");
  expect(first.stdout).toContain("+extends: read-only\n");
  expect(text("settings.yaml")).toBe("# mine\neffort: high # always\nmodel: anthropic/claude-haiku-4-5\n");
  expect(text("policy.yaml")).toBe("# my rules\nversion: 1\nsandbox: off # for now\nextends: read-only\n");

  const files = [text("settings.yaml"), text("policy.yaml")];
  const second = await run(...flags);
  expect([second.code, second.stdout]).toEqual([0, expect.stringContaining("nothing was written")]);
  expect((await run("--yes")).stdout).toContain("nothing was written");
  expect([text("settings.yaml"), text("policy.yaml")]).toEqual(files);
});

test("--yes takes the model of the only key, and never writes the key", async () => {
  const { run, text } = scene({ ANTHROPIC_API_KEY: "a-secret-key" });
  const { code, stdout, stderr } = await run("--yes");
  expect([code, stderr]).toEqual([0, ""]);
  expect(text("settings.yaml")).toMatch(/^version: 1\nmodel: anthropic\/\S+\n$/);
  expect(`${stdout}${text("settings.yaml")}`).not.toContain("a-secret-key");
});

test.each([
  ["settings.yaml", "modle: anthropic/x\n", /unknown setting "modle"\n {2}where: .*settings\.yaml:1\n/],
  ["settings.yaml", "version: 2\nmodel: a/b\n", /written by a newer signalbox \(format 2\)\n.*settings\.yaml/],
  ["settings.yaml", "model: [\n", /settings\.yaml/],
  ["policy.yaml", "version: 1\nextends: nobody\n", /policy\.yaml/],
  ["policy.yaml", "version: 7\n", /policy\.yaml/],
])("a %s that cannot be used stops setup before it does anything: %j", async (name, content, message) => {
  const { run, text, write } = scene();
  write(name, content);
  const { code, stdout, stderr } = await run("--model", "anthropic/claude-haiku-4-5", "--preset", "ci", "--yes");
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(message);
  expect(text(name)).toBe(content);
});

test.each(["settings.yaml", "policy.yaml"])("a read-only %s stays as it is, and setup says so", async (name) => {
  const { run, text, write, file } = scene();
  write(name, "version: 1\n");
  chmodSync(file(name), 0o400);
  const { code, stdout, stderr } = await run("--model", "anthropic/claude-haiku-4-5", "--preset", "ci", "--yes");
  expect([code, stdout, text(name)]).toEqual([expect.toBeOneOf([2, 3]), "", "version: 1\n"]);
  expect(stderr).toContain("is read-only");
});

test("a settings file that is a link stays one", async () => {
  const { run, file, home, write } = scene();
  write("policy.yaml", "version: 1\n");
  writeFileSync(join(home, "dotfiles.yaml"), "effort: low\n");
  symlinkSync(join(home, "dotfiles.yaml"), file("settings.yaml"));
  expect((await run("--model", "anthropic/claude-haiku-4-5", "--yes")).code).toBe(0);
  expect(readFileSync(join(home, "dotfiles.yaml"), "utf8")).toBe("effort: low\nmodel: anthropic/claude-haiku-4-5\n");
});

test.each([
  [["--model", "nobody/m"], "unknown provider"],
  [["--preset", "loose"], 'unknown preset "loose"'],
  [["--base-url", "http://127.0.0.1:1/v1"], "--base-url is the address of a model"],
])("%j is refused, and nothing is written", async (args, message) => {
  const { run, text } = scene();
  const { code, stderr } = await run(...args, "--yes");
  expect([code, text("settings.yaml")]).toEqual([2, undefined]);
  expect(stderr).toContain(message);
});

test("a session cannot change the settings", async () => {
  const { run, text } = scene({ SIGNALBOX_RUN: "x" });
  const { code, stderr } = await run("--yes", "--preset", "none");
  expect([code, stderr]).toEqual([3, expect.stringContaining("a session cannot change your settings")]);
  expect(text("settings.yaml")).toBeUndefined();
});

test("setup finds the agents, and says what to do next", async () => {
  const { env } = standInAgent("codex", "echo 1.2.3");
  const { code, stdout } = await signalbox(["setup", "--yes"], { cwd: tempFolder(), env });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^You can start {2}codex 1\.2\.3\n/)]);
  expect(stdout).toMatch(/\nNext .*signalbox codex\n/);
});

test.runIf(isOnPath("tmux"))("on a terminal setup asks four questions, and a wrong answer is asked again", async () => {
  const { env, home } = standInAgent("claude", "echo 1.2.3");
  const place = { cwd: tempFolder(), env: { ...env, HOME: home } };
  const { keys, shows, screen } = terminal(place, `'${SIGNALBOX}' setup; echo "ended $?"; sleep 60`);
  await shows("model [none for now]:");
  keys("-l", "nobody/m");
  keys("Enter");
  await shows("unknown provider");
  await expect.poll(() => screen().split("model [none for now]:").length, WAIT).toBe(3);
  keys("-l", "ollama/qwen3");
  keys("Enter");
  await shows("rules [default]:");
  keys("9", "Enter");
  await shows("from 1 to 4");
  keys("2", "Enter");
  await shows("+extends: ci");
  await shows("Write this? [y/N]");
  keys("y", "Enter");
  await shows("prove [y/N]:");
  keys("Enter");
  await shows("ended 0");
  expect(readFileSync(join(home, ".signalbox/settings.yaml"), "utf8")).toBe("version: 1\nmodel: ollama/qwen3\n");
});

test.runIf(isOnPath("tmux")).each(["C-c", "C-d"])("%s at a question leaves everything as it was", async (key) => {
  const { env, home } = standInAgent("claude", "echo 1.2.3");
  const place = { cwd: tempFolder(), env: { ...env, HOME: home } };
  const { keys, shows } = terminal(place, `'${SIGNALBOX}' setup; echo "ended $?"; sleep 60`);
  await shows("model [none for now]:");
  keys(key);
  await shows("nothing was written");
  await shows("ended 3");
  expect(existsSync(join(home, ".signalbox/settings.yaml"))).toBe(false);
});

test.runIf(isOnPath("tmux"))(
  "work over two seconds says what, how long and how to stop it, on a terminal only",
  async () => {
    const { env, home } = standInAgent("claude", "sleep 4; echo 1.2.3");
    const place = { cwd: tempFolder(), env: { ...env, HOME: home } };
    const { shows, screen } = terminal(place, `'${SIGNALBOX}' setup; echo "ended $?"; sleep 60`);
    await shows("… looking for agents and trying the sandbox, 3 s (Ctrl-C stops)");
    await shows("model [none for now]:");
    expect(screen()).not.toContain("Ctrl-C");
    const piped = await signalbox(["doctor"], { cwd: tempFolder(), env });
    expect(`${piped.stdout}${piped.stderr}`).not.toContain("Ctrl-C");
  },
);
