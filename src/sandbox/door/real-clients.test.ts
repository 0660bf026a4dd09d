import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { doorScene, listening, lists } from "../../../test/support/door-scene.ts";
import { isOnPath } from "../../../test/support/is-on-path.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { doorVariables } from "../session/command-environment.ts";

/** A server of files, and a door that opens it as a service of this machine. */
async function fileServer() {
  const folder = tempFolder();
  const { port: service } = await listening(
    createServer((request, response) => {
      const file = join(folder, (request.url ?? "").split("?")[0] ?? "");
      if (request.url === "/away") response.writeHead(302, { Location: "http://other.example/" }).end();
      else if (!existsSync(file)) response.writeHead(404).end();
      else
        createReadStream(file)
          .on("error", () => response.destroy())
          .pipe(response);
    }),
  );
  const scene = await doorScene({ policy: () => lists({ allow: [`host:${service}`] }), connect: undefined });
  return { ...scene, folder, service, env: doorVariables(scene.port, "c9") };
}

async function run(
  program: string,
  args: readonly string[],
  given: { env: Readonly<Record<string, string>>; cwd: string },
) {
  const env = { PATH: process.env["PATH"], HOME: given.cwd, GIT_TERMINAL_PROMPT: "0", LC_ALL: "C", ...given.env };
  const child = spawn(program, args, { cwd: given.cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: child.exitCode, stdout, stderr };
}

test.skipIf(!isOnPath("curl"))(
  "curl reaches a listed service by all three ways, and sees why another is refused",
  async () => {
    const { port, folder, service, env, refusals, door } = await fileServer();
    writeFileSync(join(folder, "a.txt"), "hello");
    const url = `http://host:${service}/a.txt`;
    const curl = (...args: readonly string[]) =>
      run("curl", ["-sS", "--max-time", "20", ...args], { env, cwd: folder });
    expect(await curl(url)).toEqual({ code: 0, stdout: "hello", stderr: "" });
    expect(await curl("--proxytunnel", url, url)).toMatchObject({ code: 0, stdout: "hellohello" });
    expect(await curl("--proxy", `socks5h://c9:x@127.0.0.1:${port}`, url)).toMatchObject({ code: 0, stdout: "hello" });
    const refused = await curl("-L", `http://host:${service}/away`);
    expect(refused.stdout).toContain("blocked by the sandbox: other.example:80 is not in network.allow.");
    expect((await curl("https://other.example/")).stderr).toContain("403");
    expect(refusals.map(({ id }) => id)).toEqual(["c9", "c9"]);
    expect(door.traffic().map(({ host, port: to, commands }) => [host, to, commands])).toEqual([
      ["host", service, ["command c9"]],
      ["other.example", 80, ["command c9"]],
      ["other.example", 443, ["command c9"]],
    ]);
  },
);

test("git clones through the door without asking for a password", async () => {
  const { folder, service, env } = await fileServer();
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@x", ...args], { cwd: folder, stdio: "pipe" });
  git("init", "-q", "source");
  writeFileSync(join(folder, "source", "a.txt"), "hello");
  git("-C", "source", "add", ".");
  git("-C", "source", "commit", "-qm", "one");
  git("clone", "-q", "--bare", "source", "served.git");
  git("-C", "served.git", "update-server-info");
  const cloned = await run("git", ["clone", "-q", `http://host:${service}/served.git`, "copy"], { env, cwd: folder });
  expect([cloned.code, cloned.stderr]).toEqual([0, ""]);
  expect(readFileSync(join(folder, "copy", "a.txt"), "utf8")).toBe("hello");
});
