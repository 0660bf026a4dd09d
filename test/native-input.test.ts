import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { scene } from "./support/native-scene.ts";

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
