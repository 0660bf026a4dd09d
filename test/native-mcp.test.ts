import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ScriptInput } from "../src/models/scripted/script.ts";
import { configure, notedCalls, visibleServer, writePolicy } from "./support/mcp-scene.ts";
import { scene } from "./support/native-scene.ts";
import { hasSandbox } from "./support/sandbox-scene.ts";

const ALLOW = 'tools: { allow: ["mcp:small/*", "*"], deny: ["mcp:small/fail"] }';

const calls = (name: string, input: Record<string, unknown> = {}) => ({ calls: [{ name, input }] });

/** A scene whose user has configured the small server, which notes its calls in the workspace. */
async function servedScene(turns: NonNullable<ScriptInput["turns"]>, kind = "plain") {
  const place = await scene({ turns });
  const noted = join(place.cwd, "calls.txt");
  const { command, file } = visibleServer(place.cwd);
  const small = { command, args: [file, kind, noted] };
  configure(place.home, { small });
  const offered = (request: number) => {
    const body = JSON.stringify(place.server.requests[request]?.body);
    return [...body.matchAll(/"name":"(mcp_[\w-]+)","description"/g)].map(([, name]) => name);
  };
  const body = (request: number) => JSON.stringify(place.server.requests[request]?.body);
  /** So that a busy machine does not offer the tools a turn later. */
  const learn = async (...names: readonly string[]) => {
    for (const name of names) expect((await place.run(["mcp", "test", name])).code).toBe(0);
  };
  return { ...place, small, offered, body, learn, calls: () => notedCalls(noted) };
}

test("the tools of a server are offered with the first request, and run in the sandbox", async () => {
  const {
    home,
    run,
    learn,
    offered,
    body,
    calls: ran,
  } = await servedScene([
    calls("mcp__small__echo", { text: "hello" }),
    calls("mcp__small__env", { text: "HTTP_PROXY" }),
    { text: "Done." },
  ]);
  writePolicy(home, ALLOW);
  await learn("small");
  const { code, stdout, stderr } = await run(["native", "-p", "go"]);
  expect([code, stdout, stderr]).toEqual([0, "Done.\n", expect.not.stringContaining("did not start")]);
  expect(offered(0)).toContain("mcp__small__echo");
  expect(body(1)).toContain("echo hello");
  expect(body(1)).toContain("Call echo before note.");
  expect(ran()).toEqual(["echo", "env"]);
  // Only in the sandbox is the network a door.
  if (hasSandbox) expect(body(2)).toContain("127.0.0.1:3128");
});

test("a denied call does not run, nor one that nobody can approve, and both are in the audit log", async () => {
  const {
    home,
    run,
    learn,
    body,
    calls: ran,
  } = await servedScene([calls("mcp__small__fail"), calls("mcp__small__note"), { text: "Done." }]);
  writePolicy(home, 'tools: { deny: ["mcp:small/fail"] }');
  await learn("small");
  const { code } = await run(["native", "-p", "go"]);
  expect(code).toBe(0);
  expect(body(1)).toContain("the policy denies the tool mcp:small/fail");
  expect(body(2)).toContain("Nobody is available to approve it");
  expect(ran()).toEqual([]);
  const audit = await run(["audit", "show", "--json"]);
  expect(audit.stdout).toContain("mcp__small__fail");
  expect(audit.stdout).toContain("mcp__small__note");
});

test("servers that are known start only when one of their tools is called", async () => {
  const { home, run, learn, offered, body, small } = await servedScene([{ text: "Hello." }]);
  const started = join(home, "started");
  configure(home, {
    small: { command: "/bin/sh", args: ["-c", `echo x >> ${started}; exec "$@"`, "sh", small.command, ...small.args] },
  });
  writePolicy(home, "sandbox: off");
  await learn("small");
  const { stderr } = await run(["native", "-p", "go"]);
  expect([stderr, readFileSync(started, "utf8")]).toEqual(["", "x\n"]);
  expect(offered(0)).toContain("mcp__small__echo");
  expect(body(0)).toContain("Call echo before note.");
});

test("a repository's servers are not started until they are trusted, which is said", async () => {
  const { cwd, home, run, learn, small, offered } = await servedScene([{ text: "Hello." }]);
  configure(home, {});
  writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: { theirs: small } }));
  mkdirSync(join(cwd, ".signalbox"));
  writeFileSync(join(cwd, ".signalbox", "mcp.json"), JSON.stringify({ mcpServers: { ours: small } }));
  const before = await run(["native", "-p", "go"]);
  expect(before.stderr).toContain(
    `ignoring the MCP servers in ${join(cwd, ".mcp.json")}: it is not trusted; to review it: signalbox trust`,
  );
  expect(offered(0)).toEqual([]);
  const refused = await run(["mcp", "test", "ours"]);
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining("review it: signalbox trust")]);
  const trusted = await run(["trust", "--yes"]);
  expect(trusted.stdout).toContain(".signalbox/mcp.json is now trusted");
  await learn("ours", "theirs");
  const after = await run(["native", "-p", "go"]);
  expect(after.stderr).toBe("");
  expect(offered(1)).toEqual(expect.arrayContaining(["mcp__theirs__echo", "mcp__ours__echo"]));
});

test("without servers the first request has not grown by a byte", async () => {
  const { home, run, server } = await scene({ turns: [{ text: "Hello." }] });
  await run(["native", "-p", "go"]);
  configure(home, {});
  await run(["native", "-p", "go"]);
  const [before, after] = server.requests.map(({ body }) => JSON.stringify(body));
  expect(after).toBe(before);
  expect(existsSync(join(home, ".signalbox", "mcp-lists"))).toBe(false);
});

test("a server that does not greet delays nothing for long, and is ended with the session", async () => {
  const { run, offered, server } = await servedScene([{ text: "Hello." }], "silent");
  const { code, stdout } = await run(["native", "-p", "go"]);
  expect([code, stdout, offered(0)]).toEqual([0, "Hello.\n", []]);
  expect(server.requests).toHaveLength(1);
});

test("large lists are behind a search", async () => {
  const {
    home,
    run,
    learn,
    offered,
    calls: ran,
  } = await servedScene(
    [calls("mcp_search", { query: "apples" }), calls("mcp__small__tool42"), { text: "Done." }],
    "many",
  );
  writePolicy(home, ALLOW);
  await learn("small");
  const { code } = await run(["native", "-p", "go"]);
  expect([code, offered(0), offered(1).slice(0, 2), ran()]).toEqual([
    0,
    ["mcp_search"],
    ["mcp_search", "mcp__small__tool42"],
    ["tool42"],
  ]);
});

test("plan mode and tool filters hold for them too", async () => {
  const {
    home,
    run,
    learn,
    body,
    offered,
    calls: ran,
  } = await servedScene([calls("mcp__small__note"), { text: "Done." }]);
  writePolicy(home, ALLOW);
  await learn("small");
  await run(["native", "--plan", "-p", "go"]);
  expect(body(1)).toContain("Plan mode");
  await run(["native", "--deny-tool", "mcp__small__*", "-p", "go"]);
  expect(offered(2)).toEqual([]);
  expect(ran()).toEqual([]);
});

test("an answer that is too long for the model is in a file", async () => {
  const { home, run, learn, body } = await servedScene([
    calls("mcp__small__big", { text: "100000" }),
    { text: "Done." },
  ]);
  writePolicy(home, ALLOW);
  await learn("small");
  await run(["native", "-p", "go"]);
  const [, file = ""] = /more characters; the whole text is in ([^\]]+)\]/.exec(body(1)) ?? [];
  expect(readFileSync(file, "utf8")).toBe("x".repeat(100_000));
});

test("a variable that looks like a secret reaches only the server that it is given to", async () => {
  const { home, run, small, body } = await servedScene([
    calls("mcp__small__env", { text: "SERVICE_TOKEN" }),
    calls("mcp__other__env", { text: "SERVICE_TOKEN" }),
    calls("mcp__other__environs", { text: "s3cret-value" }),
    { text: "Done." },
  ]);
  configure(home, { small: { ...small, env: { SERVICE_TOKEN: "${SECRET_OF_USER}" } }, other: small });
  writePolicy(home, 'tools: { allow: ["*"] }');
  const env = { SECRET_OF_USER: "s3cret-value" };
  for (const name of ["small", "other"]) expect((await run(["mcp", "test", name], { env })).code).toBe(0);
  await run(["native", "-p", "go"], { env });
  expect(body(1)).toContain("s3cret-value");
  expect(body(2)).toContain("undefined");
  // Nor can the others look at its process: it has a sandbox of its own.
  if (hasSandbox) expect(body(3)).toContain("seen in 0 processes");
});
