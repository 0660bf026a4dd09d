import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { createServer } from "node:net";
import { basename, join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { doorScene, listening, lists } from "../../test/support/door-scene.ts";
import { isOnPath } from "../../test/support/is-on-path.ts";
import { signalbox } from "../../test/support/run-signalbox.ts";
import { hasSandbox } from "../../test/support/sandbox-scene.ts";
import { tempFolder, tempRepository } from "../../test/support/temp-folder.ts";
import { doorVariables } from "./session/command-environment.ts";
import { openRefusedEngine, sshThroughDoor } from "./linux/covered-files.ts";

const OUTSIDE = "To run it outside: signalbox outside -- CMD";

/** The program that ssh starts, with settings of the system that name nothing. */
function reachProgram() {
  const folder = tempFolder();
  const settings = join(folder, "system");
  writeFileSync(settings, "Host *\n  SendEnv LANG\n");
  const [reach] = sshThroughDoor(folder, settings);
  return async (args: readonly string[], env: NodeJS.ProcessEnv, input = "") => {
    const child = spawn(reach?.source ?? "", args, { env: { PATH: process.env["PATH"], ...env } });
    child.stdin.on("error", () => undefined).write(input);
    const errors = text(child.stderr);
    const stdout = await text(child.stdout);
    child.stdin.end();
    const stderr = await errors;
    if (child.exitCode === null) await once(child, "exit");
    return { code: child.exitCode, stdout, stderr };
  };
}

test("ssh reaches a listed host through the door, byte by byte, and sees why another is refused", async () => {
  const reach = reachProgram();
  const { port: upstreamPort } = await listening(
    createServer((socket) => {
      socket.write("SSH-2.0-banner\r\n");
      socket.once("data", (bytes: Buffer) => socket.end(`got ${bytes.toString()}`));
    }),
  );
  const { port, refusals } = await doorScene({ upstreamPort, policy: () => lists({ allow: ["example.com:22"] }) });
  const env = doorVariables(port, "c1");
  expect(await reach(["example.com", "22"], env, "hello")).toMatchObject({
    stdout: "SSH-2.0-banner\r\ngot hello",
    stderr: "",
  });
  const blocked = `blocked by the sandbox: other.example:22 is not in network.allow. ${OUTSIDE}`;
  expect(await reach(["other.example", "22"], env)).toEqual({ code: 1, stdout: "", stderr: `${blocked}\n` });
  expect(refusals).toEqual([{ id: "c1", text: blocked }]);
});

test("without a network the reason is the policy", async () => {
  expect(await reachProgram()(["::5", "22"], {})).toEqual({
    code: 1,
    stdout: "",
    stderr: `blocked by the sandbox: [::5]:22, because network.mode is none. ${OUTSIDE}\n`,
  });
});

test("where ssh has no settings for the system, nothing is covered", () => {
  expect(sshThroughDoor(tempFolder(), "/nowhere/ssh_config")).toEqual([]);
});

test("a client of the container engine is told that there is none, in the engine's own form", async () => {
  const told: string[] = [];
  const folder = tempFolder();
  // A socket's path may be at most 107 bytes long.
  const opened = openSync(folder, "r");
  onTestFinished(() => closeSync(opened));
  using engine = await openRefusedEngine(folder, (line) => told.push(line), "/usr/bin/docker");
  const ask = async (path: string) => {
    const request = get({ socketPath: `/proc/self/fd/${opened}/${basename(engine.covered[0]?.source ?? "")}`, path });
    const [response] = await once(request, "response");
    return [response.statusCode, JSON.parse(await text(response))];
  };
  const message = expect.stringMatching(/^blocked by the sandbox: the container engine, .*: signalbox outside -- CMD$/);
  expect(await ask("/_ping")).toEqual([403, { message }]);
  expect(told).toEqual([]);
  expect(await ask("/v1.50/containers/json")).toEqual([403, { message }]);
  expect(told).toEqual([message]);
});

test.skipIf(!hasSandbox || !["ssh", "make"].every(isOnPath))(
  "ssh that another program starts says what the sandbox blocked",
  async () => {
    const cwd = tempRepository();
    writeFileSync(join(cwd, "Makefile"), "deploy:\n\t@ssh -o BatchMode=yes -p 2222 me@unlisted.example true\n");
    const { stderr } = await signalbox(["sandbox", "--", "make", "deploy"], { cwd, env: { HOME: tempFolder() } });
    const blocked = `blocked by the sandbox: unlisted.example:2222 is not in network.allow. ${OUTSIDE}`;
    expect(stderr.split("\n")).toEqual(expect.arrayContaining([blocked, `signalbox: ${blocked}`]));
  },
);
