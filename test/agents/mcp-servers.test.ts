import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { configure, writePolicy } from "../support/mcp-scene.ts";
import { scene } from "../support/native-scene.ts";
import { SIGNALBOX } from "../support/run-signalbox.ts";
import { hasSandbox } from "../support/sandbox-scene.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { call, resultsIn } from "../support/tool-results.ts";
import { PINNED } from "./real-agent.ts";

const MCP = join(import.meta.dirname, ".install/node_modules/@modelcontextprotocol");
const EVERYTHING = join(MCP, "server-everything/dist/index.js");
const FILES = join(MCP, "server-filesystem/dist/index.js");
const canRun = hasSandbox && existsSync(EVERYTHING) && existsSync(FILES);

const NOBODY = 65_534;

const program = (...args: readonly string[]) => ({ command: process.execPath, args });

test.skipIf(!canRun)("the reference servers work in the sandbox, and a denied call has no effect", async () => {
  const { run, server, cwd, home } = await scene({
    turns: [
      {
        calls: [
          call("sum", "mcp__every__get-sum", { a: 2, b: 3 }),
          call("image", "mcp__every__get-tiny-image"),
          call("environment", "mcp__every__get-env"),
          call("slow", "mcp__every__trigger-long-running-operation", { duration: 0.2, steps: 2 }),
          call("wrong", "mcp__every__get-sum", { a: "two" }),
          call("inside", "mcp__files__read_text_file", { path: "in.txt" }),
          call("large", "mcp__files__read_text_file", { path: "large.txt" }),
          call("endless", "mcp__files__read_text_file", { path: "endless.txt" }),
          call("denied", "mcp__files__write_file", { path: "denied.txt", content: "x" }),
          call("unlisted", "mcp__files__create_directory", { path: "unlisted" }),
          call("elsewhere", "mcp__files__read_text_file", { path: "/etc/hostname" }),
          call("edited", "mcp__files__edit_file", { path: "in.txt", edits: [{ oldText: "in", newText: "IN" }] }),
        ],
      },
      { text: "Done." },
    ],
  });
  writeFileSync(join(cwd, "in.txt"), "inside\n");
  writeFileSync(join(cwd, "large.txt"), "line\n".repeat(40_000));
  writeFileSync(join(cwd, "endless.txt"), "x".repeat(50_000_000));
  configure(home, { every: program(EVERYTHING), files: program(FILES, cwd, "/etc") });
  writePolicy(
    home,
    'tools: { allow: ["mcp:every/*", "mcp:files/read_*", "mcp:files/edit_*"], deny: ["mcp:files/write_file"] }',
  );
  for (const name of ["every", "files"]) {
    const tried = await run(["mcp", "test", name]);
    expect([tried.code, tried.stdout]).toEqual([0, expect.stringContaining("in the sandbox\n")]);
  }
  const { code, stdout } = await run(["native", "-p", "go"], { env: { MY_SECRET_TOKEN: "s3cret" } });
  const body = server.requests[1]?.body;
  const results = resultsIn(body);
  expect([code, stdout]).toEqual([0, "Done.\n"]);
  expect(results).toMatchObject({
    sum: expect.stringContaining("The sum of 2 and 3 is 5."),
    environment: expect.not.stringContaining("s3cret"),
    slow: expect.stringContaining("Long running operation completed"),
    wrong: expect.stringContaining("Invalid arguments for tool get-sum"),
    inside: expect.stringContaining("inside"),
    large: expect.stringMatching(/more characters; the whole text is in /),
    endless: expect.stringContaining("larger than 16 MiB"),
    denied: expect.stringContaining("the policy denies the tool mcp:files/write_file"),
    unlisted: expect.stringContaining("the policy does not list this tool"),
    elsewhere: expect.stringContaining("/etc/hostname is outside the folders that can be read"),
    edited: expect.stringContaining("+INside"),
  });
  expect(JSON.stringify(body)).toContain("data:image/png;base64,");
  // What the server did, and did not do.
  expect(readFileSync(join(cwd, "in.txt"), "utf8")).toBe("INside\n");
  expect(["denied.txt", "unlisted"].filter((name) => existsSync(join(cwd, name)))).toEqual([]);
});

test.skipIf(!canRun).each([
  ["with the sandbox", "", "path outside allowed directories", false],
  ["without a sandbox", "sandbox: off", "out of the workspace", true],
])("a server whose own roots are wider than the sandbox: %s", async (_, sandbox, result, isThere) => {
  const outside = tempFolder();
  const { run, server, cwd, home } = await scene({
    turns: [
      {
        calls: [
          call("read", "mcp__files__read_text_file", { path: join(outside, "out.txt") }),
          call("write", "mcp__files__write_file", { path: join(outside, "made.txt"), content: "x" }),
        ],
      },
      { text: "Done." },
    ],
  });
  writeFileSync(join(outside, "out.txt"), "out of the workspace\n");
  configure(home, { files: program(FILES, cwd, outside) });
  writePolicy(home, `${sandbox}\ntools: { allow: ["mcp:files/*"] }`);
  await run(["mcp", "test", "files"]);
  await run(["native", "-p", "go"]);
  const { read, write } = resultsIn(server.requests[1]?.body);
  expect([read, write]).toEqual([expect.stringContaining(result), expect.not.stringContaining("not allowed")]);
  expect(existsSync(join(outside, "made.txt"))).toBe(isThere);
});

test.skipIf(!canRun || process.getuid?.() !== 0)("a server works in the sandbox of an ordinary user", async () => {
  const { server, cwd, home } = await scene({
    turns: [{ calls: [call("read", "mcp__files__read_text_file", { path: "in.txt" })] }, { text: "Done." }],
  });
  writeFileSync(join(cwd, "in.txt"), "inside\n");
  configure(home, { files: program(FILES, cwd) });
  writePolicy(home, 'tools: { allow: ["mcp:files/*"] }');
  for (const folder of [cwd, home]) spawnSync("chown", ["-R", `${NOBODY}:${NOBODY}`, folder]);
  const env = { PATH: PINNED, HOME: home, SIGNALBOX_MODEL: "compatible/m", SIGNALBOX_BASE_URL: `${server.url}/v1` };
  const as = [
    "setpriv",
    `--reuid=${NOBODY}`,
    `--regid=${NOBODY}`,
    "--clear-groups",
    "sh",
    "-c",
    'umask 077; exec "$@"',
    "sh",
  ];
  const run = async (...args: readonly string[]) => {
    const child = spawn(as[0] ?? "", [...as.slice(1), SIGNALBOX, ...args], {
      cwd,
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    return await text(child.stdout);
  };
  expect(await run("mcp", "test", "files")).toContain("in the sandbox\n");
  expect(await run("native", "-p", "go")).toBe("Done.\n");
  expect(resultsIn(server.requests[1]?.body)["read"]).toContain("inside");
});

test.skipIf(!canRun)("a server over HTTP works behind the same rules", async () => {
  const { run, server, home } = await scene({
    turns: [
      { calls: [call("sum", "mcp__far__get-sum", { a: 20, b: 22 }), call("echo", "mcp__far__echo", { message: "x" })] },
      { text: "Done." },
    ],
  });
  const url = await startOverHttp();
  writePolicy(home, 'tools: { allow: ["mcp:far/get-*"], deny: ["mcp:far/echo"] }');
  expect((await run(["mcp", "add", "far", "--url", url])).code).toBe(0);
  const tried = await run(["mcp", "test", "far"]);
  expect([tried.code, tried.stdout]).toEqual([0, expect.stringMatching(/^far works: [^]*\n {2}get-sum /)]);
  const { code } = await run(["native", "-p", "go"]);
  expect([code, resultsIn(server.requests[1]?.body)]).toEqual([
    0,
    {
      sum: expect.stringContaining("The sum of 20 and 22 is 42."),
      echo: expect.stringContaining("the policy denies the tool mcp:far/echo"),
    },
  ]);
});

/** The reference server as somebody runs it who shares it: outside of our sandbox, on a port of this machine. */
async function startOverHttp(): Promise<string> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  await new Promise((done) => probe.close(done));
  const child = spawn(process.execPath, [EVERYTHING, "streamableHttp"], {
    env: { PATH: process.env["PATH"], PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stderr, "data");
  return `http://127.0.0.1:${port}/mcp`;
}
