import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer as createHttp } from "node:http";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";
import { doorVariables } from "../../src/sandbox/session/command-environment.ts";
import { closed, doorScene, exchange, listening, lists } from "../support/door-scene.ts";
import { isOnPath } from "../support/is-on-path.ts";
import { tempFolder } from "../support/temp-folder.ts";

const TOTAL = 10_000;
/** Clients of this test that are open at a time, so that it runs where a process may have 1,024 files open. */
const AT_ONCE = 400;

test(`${TOTAL} connections leave the door within its limit, and it serves on`, async () => {
  const { port: upstreamPort } = await listening(createServer((socket) => socket.pipe(socket)));
  const { server, port } = await doorScene({ upstreamPort, limits: { connections: 128 } });
  let most = 0;
  const open = new Set<Socket>();
  onTestFinished(() => open.forEach((socket) => socket.destroy()));
  for (let made = 0; made < TOTAL; made += AT_ONCE) {
    const ended = Array.from({ length: AT_ONCE }, async (_, index) => {
      const socket = connect(port, "127.0.0.1");
      open.add(socket);
      socket.on("error", () => undefined);
      socket.once("close", () => open.delete(socket));
      socket.resume();
      if (index % 3 === 0) socket.write("CONNECT example.com:443 HTTP/1.1\r\n\r\nx");
      await closed(socket);
    });
    await vi.waitFor(() => expect(open.size).toBeLessThanOrEqual(128), 30_000);
    const count = await new Promise<number>((done) => server.getConnections((_, n) => done(n)));
    most = Math.max(most, count);
    for (const socket of open) socket.destroy();
    await Promise.all(ended);
  }
  expect(most).toBeLessThanOrEqual(128);
  await vi.waitFor(async () => {
    expect(await exchange(port, "CONNECT example.com:443 HTTP/1.1\r\n\r\nhi")).toMatch(/^HTTP\/1\.1 200 [^]*hi$/);
  });
});

test("a client that never reads holds back its server, and nobody else", async () => {
  const block = Buffer.alloc(1 << 20);
  const endless = (socket: Socket): void => {
    while (!socket.destroyed && socket.write(block));
    if (!socket.destroyed) socket.once("drain", () => endless(socket));
  };
  const { port: upstreamPort } = await listening(createServer(endless));
  const { door, port } = await doorScene({ upstreamPort });
  const open = async (target: string) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    onTestFinished(() => void socket.destroy());
    socket.write(`CONNECT ${target} HTTP/1.1\r\n\r\n`);
    await once(socket, "readable");
    return socket;
  };
  await open("example.com:443");
  const reader = await open("example.com:8080");
  let received = 0;
  reader.on("data", (chunk: Buffer) => (received += chunk.length));
  while (received < 48 * block.length) await once(reader, "data");
  const [stalled, read] = door.traffic();
  expect(read?.received).toBeGreaterThan(47 * block.length);
  // What the kernel's buffers of two connections hold.
  expect(stalled?.received).toBeLessThan(40 * block.length);
});

/** A registry on loopback with one npm package. */
async function registry() {
  const folder = tempFolder();
  writeFileSync(join(folder, "package.json"), '{"name":"tiny","version":"1.0.0","main":"index.js"}');
  writeFileSync(join(folder, "index.js"), "module.exports = 7;\n");
  execFileSync("npm", ["pack", "--silent"], { cwd: folder, env: { ...process.env, HOME: folder } });
  const packed = readFileSync(join(folder, "tiny-1.0.0.tgz"));
  const { port } = await listening(
    createHttp((request, response) => {
      if (request.url === "/tiny-1.0.0.tgz") return void response.end(packed);
      if (request.url !== "/tiny") return void response.writeHead(404).end("{}");
      const dist = { tarball: `http://${request.headers.host}/tiny-1.0.0.tgz` };
      const version = { name: "tiny", version: "1.0.0", dist };
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify({ name: "tiny", "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": version } }));
    }),
  );
  return { folder, port };
}

async function run(
  program: string,
  args: readonly string[],
  given: { env: Readonly<Record<string, string>>; cwd: string },
) {
  const env = { PATH: process.env["PATH"], HOME: given.cwd, LC_ALL: "C", ...given.env };
  const child = spawn(program, args, { cwd: given.cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: child.exitCode, stdout, stderr };
}

test.skipIf(!isOnPath("npm"))(
  "npm installs through the door from a registry on this machine, and from no other",
  async () => {
    const { port: service } = await registry();
    const { port, door } = await doorScene({ policy: () => lists({ allow: [`host:${service}`] }), connect: undefined });
    const cwd = tempFolder();
    writeFileSync(join(cwd, "package.json"), "{}");
    const env = doorVariables(port, "c1");
    const install = (to: string, ...more: readonly string[]) =>
      run("npm", ["install", "tiny", "--no-audit", "--no-fund", "--fetch-retries=0", `--registry=${to}`, ...more], {
        env,
        cwd,
      });
    const got = await install(`http://host:${service}/`);
    expect([got.code, got.stderr]).toEqual([0, ""]);
    expect(readFileSync(join(cwd, "node_modules/tiny/index.js"), "utf8")).toBe("module.exports = 7;\n");
    expect((await install("http://registry.example/", "--prefer-online")).code).not.toBe(0);
    expect(door.traffic()).toMatchObject([
      { host: "host", port: service, refused: 0, commands: ["command c1"] },
      { host: "registry.example", port: 80, sent: 0, received: 0 },
    ]);
  },
);

test.skipIf(!isOnPath("wget"))("wget is refused and does not hang", async () => {
  const { port } = await doorScene();
  const env = doorVariables(port, "c1");
  const got = await run("wget", ["-O-", "-T", "20", "http://other.example/"], { env, cwd: tempFolder() });
  expect(got.code).not.toBe(0);
  expect(got.stderr).toContain("403 Forbidden");
});

test("Node's fetch and http follow the variables", async () => {
  const { port: service } = await listening(createHttp((_request, response) => response.end("hello")));
  const { port, door } = await doorScene({ policy: () => lists({ allow: [`host:${service}`] }), connect: undefined });
  const script = `const url = "http://host:${service}/";
    process.stdout.write(await (await fetch(url)).text());
    const { get } = await import("node:http");
    get(url, (response) => response.pipe(process.stdout));`;
  const env = doorVariables(port, "c9");
  const got = await run(process.execPath, ["--input-type=module", "-e", script], { env, cwd: tempFolder() });
  expect(got).toMatchObject({ code: 0, stdout: "hellohello" });
  expect(door.traffic()).toMatchObject([{ host: "host", refused: 0, commands: ["command c9"] }]);
});
