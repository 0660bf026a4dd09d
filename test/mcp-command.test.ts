import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readJson, SERVER, visibleServer, writePolicy } from "./support/mcp-scene.ts";
import { startOAuthServer } from "./support/oauth-mcp-server.ts";
import { SIGNALBOX, signalbox } from "./support/run-signalbox.ts";
import { hasSandbox } from "./support/sandbox-scene.ts";
import { tempFolder, tempRepository } from "./support/temp-folder.ts";

function place() {
  const [home, cwd] = [tempFolder(), tempRepository()];
  const run = (...args: readonly string[]) => signalbox(["mcp", ...args], { cwd, env: { HOME: home } });
  return { home, cwd, run, file: join(home, ".signalbox", "mcp.json") };
}

test("servers are added, listed, tried and removed", async () => {
  const { run, cwd, file } = place();
  const { command, file: server } = visibleServer(cwd);
  expect((await run("list")).stdout).toContain("no MCP servers; to add one");
  const added = await run("add", "small", "--env", "A=b=c", "--", command, server, "plain");
  expect([added.code, added.stdout]).toEqual([0, `added small to ${file}. Next: signalbox mcp test small\n`]);
  expect(readJson(file)).toEqual({
    mcpServers: { small: { command, args: [server, "plain"], env: { A: "b=c" } } },
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const tried = await run("test", "small");
  expect([tried.code, tried.stdout]).toEqual([
    0,
    expect.stringMatching(/^small works: answered in \d+ ms[^]*\n {2}echo {2}echo\n/),
  ]);
  const { stdout } = await run("list", "--json");
  expect(JSON.parse(stdout)).toMatchObject({
    servers: [{ name: "small", source: "user", where: file, type: "stdio", state: "used", tools: 13 }],
    notes: [],
  });
  expect((await run("remove", "small")).code).toBe(0);
  expect(readJson(file)).toEqual({ mcpServers: {} });
});

test("an address keeps its headers and unexpanded variables, and the rest of the file stays as it is", async () => {
  const { run, file } = place();
  mkdirSync(join(file, ".."), { recursive: true });
  const before = '{\n  // mine\n  "mcpServers": {\n    "a": { "command": "x" }, // first\n  },\n  "other": 1\n}\n';
  writeFileSync(file, before);
  const args = ["docs", "--url", "https://example.com/mcp", "--header", "Authorization: Bearer ${DOCS_TOKEN}"];
  expect((await run("add", ...args)).code).toBe(0);
  const text = readFileSync(file, "utf8");
  for (const kept of ["// mine", '"command": "x"', "// first", '"other": 1', "Bearer ${DOCS_TOKEN}"])
    expect(text).toContain(kept);
  const listed = await run("list");
  expect(listed.stdout).toContain("broken");
  expect(listed.stdout).toContain("the variable DOCS_TOKEN is not set");
  expect((await run("remove", "docs")).code).toBe(0);
  expect(readFileSync(file, "utf8")).toContain("// first");
});

test("with --project it is written for the repository, and not used before it is trusted", async () => {
  const { run, cwd, home } = place();
  const added = await run("add", "team", "--project", "--", "team-mcp");
  expect(added.stdout).toContain("Next: signalbox trust");
  expect(existsSync(join(cwd, ".signalbox", "mcp.json"))).toBe(true);
  expect((await run("list")).stdout).toContain("not trusted: it is not trusted");
  await signalbox(["trust", "--yes"], { cwd, env: { HOME: home } });
  expect(JSON.parse((await run("list", "--json")).stdout)).toMatchObject({
    servers: [{ name: "team", state: "used" }],
  });
});

test.each([
  [["add"], 2, "which name?"],
  [["add", "x"], 2, "what is to be started?"],
  [["add", "x", "--url", "https://a", "--", "b"], 2, "not both"],
  [["add", "x", "--url", "ftp://a"], 2, "not an http or https address"],
  [["add", "_x", "--", "b"], 2, "the name must be"],
  [["add", "x", "--env", "novalue", "--", "b"], 2, "not a name and a value"],
  [["remove", "nothing"], 2, "there is no MCP server 'nothing' in it"],
  [["test", "nothing"], 2, "there is no MCP server 'nothing'"],
  [["test"], 2, "which server?"],
  [["lst"], 2, "did you mean 'list'?"],
])("mcp %j is refused with code %i", async (args, code, message) => {
  const outcome = await place().run(...args);
  expect([outcome.code, outcome.stderr]).toEqual([code, expect.stringContaining(message)]);
});

test("a broken file is named with its line and not overwritten", async () => {
  const { run, file } = place();
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, '{\n"mcpServers": {\n"a": }');
  expect((await run("list")).stderr).toContain(`${file}:3: not valid JSON`);
  const added = await run("add", "b", "--", "c");
  expect([added.code, added.stderr]).toEqual([2, expect.stringContaining(`${file}:3`)]);
  expect(readFileSync(file, "utf8")).toBe('{\n"mcpServers": {\n"a": }');
});

test("a server that does not work is said with its last words, and code 1", async () => {
  const { run, cwd } = place();
  const { command, file } = visibleServer(cwd);
  await run("add", "bad", "--", command, file, "dies");
  const tried = await run("test", "bad");
  expect([tried.code, tried.stdout]).toEqual([1, expect.stringContaining("it printed: Error: cannot find the thing")]);
  expect(JSON.parse((await run("test", "bad", "--json")).stdout)).toMatchObject({ name: "bad", works: false });
});

test("a login by the command: it shows an address, and once that was opened the server works", async () => {
  const { run, home, cwd } = place();
  const { url } = await startOAuthServer();
  await run("add", "docs", "--url", url);
  const before = await run("test", "docs");
  expect([before.code, before.stdout]).toEqual([1, expect.stringContaining("to log in: signalbox mcp login docs")]);
  const child = spawn(SIGNALBOX, ["mcp", "login", "docs"], {
    cwd,
    env: { PATH: process.env["PATH"], HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let shown = "";
  for await (const chunk of child.stdout) {
    shown += String(chunk);
    const [address] = /^http:\S+authorize\S+(?=\n)/m.exec(shown) ?? [];
    if (address !== undefined && !shown.includes("logged in")) await fetch(address);
  }
  expect(shown).toMatch(/^Open this address in your browser[^]*\nlogged in to docs\n$/);
  expect((await run("test", "docs")).stdout).toContain("whoami");
  expect((await run("list")).stdout).toContain("logged in");
  expect((await run("login", "nowhere")).code).toBe(2);
});

test.skipIf(!hasSandbox)("a program that the sandbox hides is named with what shows it", async () => {
  const { run, home } = place();
  const file = join(home, "tools", "server.mjs");
  mkdirSync(join(home, "tools"));
  copyFileSync(SERVER, file);
  await run("add", "mine", "--", "node", file);
  const hidden = await run("test", "mine");
  expect([hidden.code, hidden.stdout]).toEqual([
    1,
    expect.stringContaining(`The sandbox hides ${file}; to show it, add its folder to paths.read_roots`),
  ]);
  writePolicy(home, `paths: { read_roots: ["${home}/tools"] }`);
  const shown = await run("test", "mine");
  expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining("mine works")]);
});
