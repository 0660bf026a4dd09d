import type { ChildProcess } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { scene, until } from "./support/native-scene.ts";

test("--json prints the session and then every event, and piped input is the prompt", async () => {
  const { run, cwd } = await scene({ turns: [{ text: "Hi." }] });
  const { code, stdout } = await run(["native", "--json"], { input: "say hi\n" });
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => z.looseObject({ type: z.string() }).parse(JSON.parse(line)));
  expect(code).toBe(0);
  expect(events[0]).toEqual({
    type: "session",
    id: expect.stringMatching(/^\d{8}-\d{6}-[0-9a-f]{8}$/),
    cwd,
    model: "compatible/m",
    tools: expect.arrayContaining(["read", "bash"]),
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
  });
  expect(events.map(({ type }) => type)).toEqual([
    "session",
    "message",
    "turn-start",
    "text-delta",
    "usage",
    "message",
    "response",
    "turn-end",
    "run-end",
    "idle",
  ]);
});

test("what is piped in beside -p is refused, never dropped; an empty or idle pipe holds nothing up", async () => {
  const { run, server } = await scene({ turns: [{ text: "One." }, { text: "Two." }] });
  for (const args of [
    ["native", "-p", "review this"],
    ["native", "--", "review this"],
  ]) {
    const both = await run(args, { input: "a diff\n" });
    expect([both.code, both.stdout, both.stderr]).toEqual([
      2,
      "",
      expect.stringContaining("more than one prompt was given\n  where: stdin is a pipe that is not empty"),
    ]);
  }
  expect(server.requests.length).toBe(0);
  expect((await run(["native", "-p", "x"], { input: "" })).stdout).toBe("One.\n");
  const idle = Promise.withResolvers<void>();
  const during = async (child: ChildProcess) => void child.once("exit", () => idle.resolve());
  const { code, stdout } = await run(["sessions", "resume", "last", "-p", "x"], {
    keepStdinOpen: idle.promise,
    during,
  });
  expect([code, stdout]).toEqual([0, "Two.\n"]);
  const resumed = await run(["sessions", "resume", "last"], { input: "go on\n" });
  expect([resumed.code, resumed.stderr]).toEqual([2, expect.stringContaining("takes a task from stdin")]);
});

test("what is piped in late beside -p is said", async () => {
  const { cwd, run } = await scene({
    turns: [{ shell: "touch begun; while ! test -e late; do sleep 0.1; done" }, { text: "ok" }],
  });
  const late = Promise.withResolvers<void>();
  const during = async (child: ChildProcess) => {
    await until(() => existsSync(join(cwd, "begun")));
    child.stderr?.on(
      "data",
      (text) => String(text).includes("piped input is ignored") && writeFileSync(join(cwd, "late"), ""),
    );
    late.resolve();
  };
  const { code, stdout, stderr } = await run(["native", "-p", "x"], {
    input: "a diff\n",
    keepStdinOpen: late.promise,
    during,
  });
  expect([code, stdout, stderr]).toEqual([0, "ok\n", expect.stringContaining("piped input is ignored")]);
});

test("a file that is read again and again is sent once, and again in a resumed session", async () => {
  const again = { calls: [{ name: "read", input: { path: "big.txt" } }] };
  const { cwd, run, server } = await scene({
    turns: [...Array.from({ length: 10 }, () => again), { text: "One." }, again, { text: "Two." }],
  });
  writeFileSync(join(cwd, "big.txt"), "a line of the file\n".repeat(1000));
  const sent = () => JSON.stringify(server.requests.at(-1)?.body).split("1000\\ta line of the file").length - 1;
  expect((await run(["native", "-p", "read"])).stdout).toBe("One.\n");
  expect([sent(), JSON.stringify(server.requests.at(-1)?.body).split("has not changed since you read").length]).toEqual(
    [1, 10],
  );
  expect((await run(["native", "-c", "-p", "again"])).stdout).toBe("Two.\n");
  expect(sent()).toBe(2);
});
