import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { logsIn, scene, until } from "./support/native-scene.ts";
import { SIGNALBOX } from "./support/run-signalbox.ts";

const task = (agent: string, prompt: string, more: object = {}) => ({
  name: "task",
  input: { description: `look at ${prompt}`, prompt, agent_type: agent, ...more },
});

const agentLogs = (sessions: string) =>
  readdirSync(sessions)
    .filter((name) => name.endsWith(".agents"))
    .flatMap((folder) => readdirSync(join(sessions, folder)).filter((name) => name.endsWith(".jsonl")));

test("a sub-agent works with its own prompt and tools, and only its last answer comes back", async () => {
  const { run, cwd, server, sessions } = await scene({
    scenes: [
      {
        when: { contains: "find the needle" },
        turns: [
          { calls: [{ name: "grep", input: { pattern: "needle" } }], expect: { not_contains: "the whole task" } },
          { text: "It is in hay.txt." },
        ],
      },
      {
        turns: [
          { calls: [task("explore", "find the needle")] },
          { text: "Found.", expect: { contains: "It is in hay.txt." } },
        ],
      },
    ],
  });
  writeFileSync(join(cwd, "hay.txt"), "a needle\n");
  const { code, stdout, stderr } = await run(["native", "-p", "the whole task"]);
  expect([code, stdout, server.failedExpectations]).toEqual([0, "Found.\n", []]);
  expect(stderr).toContain("· task look at find the needle\n");
  expect(stderr).toContain("  explore-1 · grep needle\n");
  expect(server.requests[1]?.toolNames).toEqual(["read", "grep", "glob"]);
  expect(server.requests[1]?.system).toContain("fewer than 300 words");
  const [id = ""] = logsIn(sessions).map((name) => name.replace(".jsonl", ""));
  expect(agentLogs(sessions)).toEqual(["explore-1.jsonl"]);
  const shown = await run(["sessions", "show", "last"]);
  expect(shown.stdout).toContain("explore-1");
  const child = await run(["sessions", "show", `${id}/explore-1`]);
  expect([child.code, child.stdout]).toEqual([0, expect.stringContaining("It is in hay.txt.")]);
  expect((await run(["sessions", "list"])).stdout.trim().split("\n")).toHaveLength(1);
});

test("three sub-agents that only look work at once; after kill -9 they are told as interrupted and not started again", async () => {
  const hangs = { failures: Array.from({ length: 3 }, () => ({ hang: true as const })), text: "never" };
  const { run, cwd, home, server, sessions } = await scene({
    scenes: [
      { when: { contains: "part of the house" }, turns: [hangs] },
      {
        turns: [
          { calls: ["roof", "door", "wall"].map((part) => task("explore", `${part}, a part of the house`)) },
          { text: "Nothing came back." },
        ],
      },
    ],
  });
  const child = spawn(SIGNALBOX, ["native", "-p", "look at it"], {
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
  // None of the three is answered, so all of them are open at the same time.
  await until(() => server.requests.length === 4);
  child.kill("SIGKILL");
  await once(child, "exit");

  const resumed = await run(["sessions", "resume", "last", "-p", "go on"]);
  expect([resumed.code, resumed.stdout]).toEqual([0, "Nothing came back.\n"]);
  const told = JSON.stringify(server.requests[4]?.body);
  expect(server.requests.slice(4)).toHaveLength(1);
  for (const n of [1, 2, 3]) expect(told).toContain(`The sub-agent explore-${n} (look at`);
  expect(told.match(/was interrupted when the program stopped/g)).toHaveLength(3);
  expect(told.match(/The program was stopped while this call was running/g)).toHaveLength(3);
  expect(agentLogs(sessions)).toEqual(["explore-1.jsonl", "explore-2.jsonl", "explore-3.jsonl"]);
  expect((await run(["sessions", "show", "last"])).stdout).toContain("interrupted)");

  await run(["sessions", "resume", "last", "-p", "again"]);
  expect(JSON.stringify(server.requests.at(-1)?.body).match(/was interrupted when the program/g)).toHaveLength(3);
});

test("a sub-agent in the background: its result comes as a message, and the session does not end before", async () => {
  const { run, server } = await scene({
    scenes: [
      { when: { contains: "count the doors" }, turns: [{ text: "Two doors." }] },
      {
        turns: [
          { calls: [task("general-purpose", "count the doors", { mode: "background" })] },
          { text: "I have started it.", expect: { contains: "general-purpose-1 works in the background" } },
          { text: "There are two.", expect: { contains: "is done. This is its result" } },
        ],
      },
    ],
  });
  const { code, stdout } = await run(["native", "-p", "doors"]);
  expect([code, stdout, server.failedExpectations]).toEqual([0, "There are two.\n", []]);
});

test("a denied call in a sub-agent does not run and is audited by its name", async () => {
  const { run, cwd, home, server } = await scene({
    scenes: [
      {
        when: { contains: "clean up" },
        turns: [{ shell: "sudo rm -rf / > did-run" }, { text: "It was denied.", expect: { contains: "not allowed" } }],
      },
      { turns: [{ calls: [task("general-purpose", "clean up")] }, { text: "Denied." }] },
    ],
  });
  const { code, stderr } = await run(["native", "-p", "go"]);
  expect([code, server.failedExpectations, existsSync(join(cwd, "did-run"))]).toEqual([0, [], false]);
  expect(stderr).toContain("general-purpose-1   denied:");
  const audit = readdirSync(join(home, ".signalbox/audit"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => readFileSync(join(home, ".signalbox/audit", name), "utf8"))
    .join("");
  const entries = audit.split("\n").filter((line) => line.includes('"native/general-purpose-1"'));
  expect(entries.some((line) => line.includes('"deny"') && line.includes("sudo rm"))).toBe(true);
});
