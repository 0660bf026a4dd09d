import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { logsIn, scene } from "./support/native-scene.ts";

const complete = (summary: string) => ({ calls: [{ name: "task_complete", input: { summary } }] });

test("on autopilot a stop is no end until the model says that the task is complete", async () => {
  const script = {
    turns: [{ shell: "echo new > a.txt" }, { text: "Next I will check it." }, complete("I wrote a.txt.")],
  };
  const { run, server } = await scene(script);
  const { code, stdout, stderr } = await run(["native", "--autopilot", "-p", "create a.txt"]);
  expect([code, stdout, stderr.split("\n")]).toEqual([
    0,
    "I wrote a.txt.\n",
    [
      "signalbox: · bash echo new > a.txt",
      "signalbox: not finished (autopilot): you stopped without calling task_complete",
      "signalbox: says that the task is complete",
      "signalbox: autopilot: passed",
      "",
    ],
  ]);
  const [first = "", , third = ""] = server.requests.map(({ body }) => JSON.stringify(body));
  for (const text of ['"task_complete"', "Autopilot is on"]) expect(first).toContain(text);
  expect(third).toContain("Stop planning and do it");
});

test("a plain session is not offered task_complete; SIGNALBOX_FLAGS=autopilot makes every new one an autopilot", async () => {
  const plain = await scene({ turns: [{ text: "ok" }] });
  expect(await plain.run(["native", "-p", "go"])).toMatchObject({ code: 0, stdout: "ok\n" });
  expect(JSON.stringify(plain.server.requests[0]?.body)).not.toMatch(/task_complete|Autopilot/);

  const flagged = await scene({ turns: [complete("all done")] });
  const env = { SIGNALBOX_FLAGS: "autopilot" };
  const { code, stdout } = await flagged.run(["native", "--json", "-p", "go"], { env });
  const [session, ...events] = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect([code, session.tools]).toEqual([0, expect.arrayContaining(["task_complete"])]);
  expect(events.at(-1)).toMatchObject({ type: "idle", outcome: { reason: "answered", text: "all done" } });
});

test("a session killed between two reminders goes on counting them", async () => {
  const { run, server, sessions } = await scene({ turns: [{ text: "soon" }], after: { text: "soon" } });
  expect(await run(["native", "--autopilot", "-p", "go"])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("cut off: it stopped 6 times without saying that the task is complete"),
  });
  const [log = ""] = logsIn(sessions);
  const lines = readFileSync(join(sessions, log), "utf8").split("\n");
  const third = lines.findIndex(
    (line, at) =>
      line.includes('"blocked"') && lines.slice(0, at).filter((one) => one.includes('"blocked"')).length === 2,
  );
  writeFileSync(join(sessions, log), `${lines.slice(0, third + 1).join("\n")}\n`);
  const before = server.requests.length;
  const { code } = await run(["native", "-c"]);
  // It had been told three times, and its last stop is judged again: twice more, then it is cut off.
  expect([code, server.requests.length - before]).toEqual([5, 2]);
});

test("run tells the same verdicts, with a receipt: a false done, and a circle", async () => {
  const liar = await scene({ turns: [{ text: "Fixed, all tests pass." }], after: { text: "Fixed, all tests pass." } });
  const lied = await liar.run(["run", "native", "fix the bug in a.txt"]);
  expect([lied.code, lied.stdout + lied.stderr]).toEqual([
    9,
    expect.stringContaining("nothing was changed (the effort gate blocked 3 times"),
  ]);
  const circle = await scene({ turns: [{ shell: "cat a.txt" }], after: { shell: "cat a.txt" } });
  const circled = await circle.run(["run", "native", "--autopilot", "what is in a.txt?"]);
  expect([circled.code, circled.stdout + circled.stderr]).toEqual([
    6,
    expect.stringContaining("the same call had the same result 11 times in a row"),
  ]);
});

test("an agent-stop hook that always blocks ends with exit code 9, and its reason is told", async () => {
  const { home, run, server } = await scene({ turns: [{ text: "Done." }], after: { text: "Done." } });
  const folder = join(home, ".signalbox", "hooks");
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "agent-stop"),
    `#!/bin/sh\ncat > /dev/null; echo '{"decision":"block","reason":"write a changelog"}'\n`,
    { mode: 0o755 },
  );
  const { code, stderr } = await run(["native", "-p", "go"]);
  expect([code, server.requests.length, stderr.trim().split("\n").at(-1)]).toEqual([
    9,
    9,
    "signalbox: not finished: write a changelog (the agent-stop gate blocked 8 times in a row and nothing changed)",
  ]);
});

test.each([
  [["native", "--autopilot", "--plan", "-p", "x"], "--plan only reads, and --autopilot carries the task out"],
  [["run", "mock", "x", "--autopilot"], "--autopilot is for native, and this run uses mock"],
])("%j is a usage error", async (args, message) => {
  const { run } = await scene({ turns: [{ text: "x" }] });
  expect(await run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});
