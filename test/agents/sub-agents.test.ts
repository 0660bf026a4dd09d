import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { logsIn, scene } from "../support/native-scene.ts";
import { SIGNALBOX } from "../support/run-signalbox.ts";
import { hasSandbox } from "../support/sandbox-scene.ts";

const NAMES = ["alpha", "beta", "gamma"];

const starts = {
  calls: NAMES.map((name) => ({
    name: "task",
    input: {
      description: `work ${name}`,
      prompt: `work on ${name}`,
      agent_type: "general-purpose",
      mode: "background",
    },
  })),
};

/** Each of three sub-agents runs one command. */
const children = (command: (name: string) => string) =>
  NAMES.map((name) => ({
    when: { contains: `work on ${name}` },
    turns: [{ shell: command(name) }, { text: `${name} is done.` }],
  }));

const Line = z.object({ at: z.number(), type: z.string() });

test.skipIf(!hasSandbox)("sub-agents in the background work at the same time, as their logs show", async () => {
  // None of them can end before all have begun.
  const meet = (name: string) => `touch ${name}; until test -e alpha -a -e beta -a -e gamma; do sleep 0.05; done`;
  const { run, sessions } = await scene({
    scenes: [...children(meet), { turns: [starts, ...Array.from({ length: 4 }, () => ({ text: "Fine." }))] }],
  });
  const { code } = await run(["native", "-p", "go"]);
  const [id = ""] = logsIn(sessions).map((name) => name.replace(".jsonl", ""));
  const spans = readdirSync(join(sessions, `${id}.agents`))
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => {
      const lines = readFileSync(join(sessions, `${id}.agents`, name), "utf8")
        .trim()
        .split("\n");
      const records = lines.map((line) => Line.parse(JSON.parse(line)));
      const at = (type: string) => records.find((record) => record.type === type)?.at ?? Number.NaN;
      return { from: at("call-start"), to: at("call-end") };
    });
  expect([code, spans.length]).toEqual([0, 3]);
  const lastStart = Math.max(...spans.map(({ from }) => from));
  expect(lastStart).toBeLessThan(Math.min(...spans.map(({ to }) => to)));
});

test.skipIf(!hasSandbox)(
  "after kill -9 nothing of three sub-agents runs on or runs again, and the model is told",
  async () => {
    const beat = (name: string) => `echo ${name} >> begun; while :; do touch beat-${name}; sleep 0.05; done`;
    const { run, cwd, home, server } = await scene({
      scenes: [
        ...children(beat),
        { turns: [starts, { shell: "until test -e never; do sleep 0.1; done" }, { text: "They were interrupted." }] },
      ],
    });
    const child = spawn(SIGNALBOX, ["native", "-p", "go"], {
      cwd,
      env: {
        PATH: process.env["PATH"],
        HOME: home,
        SIGNALBOX_MODEL: "compatible/m",
        SIGNALBOX_BASE_URL: `${server.url}/v1`,
      },
      stdio: "ignore",
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const beats = NAMES.map((name) => join(cwd, `beat-${name}`));
    await expect.poll(() => beats.every((file) => existsSync(file)), { timeout: 30_000 }).toBe(true);
    child.kill("SIGKILL");
    await once(child, "exit");
    const age = () => Date.now() - Math.max(...beats.map((file) => statSync(file).mtimeMs));
    await expect.poll(age, { timeout: 20_000 }).toBeGreaterThan(1000);

    const before = server.requests.length;
    const resumed = await run(["sessions", "resume", "last", "-p", "go on"]);
    expect([resumed.code, resumed.stdout]).toEqual([0, "They were interrupted.\n"]);
    const told = JSON.stringify(server.requests[before]?.body);
    for (const name of NAMES) expect(told).toContain(`(work ${name}) was interrupted when the program stopped`);
    expect([server.requests.length - before, age() > 1000]).toEqual([1, true]);
    expect(readFileSync(join(cwd, "begun"), "utf8").trim().split("\n").toSorted()).toEqual(NAMES.toSorted());
  },
);
