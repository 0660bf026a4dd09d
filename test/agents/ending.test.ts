import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { signalbox } from "../support/run-signalbox.ts";
import { realAgent, UNATTENDED } from "./real-agent.ts";

/** Live processes that carry the mark in their environment or on their command line. */
function carrying(mark: string): string[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      if (!/^\d+$/.test(pid) || readFileSync(`/proc/${pid}/stat`, "latin1").includes(") Z ")) return [];
      const words = readFileSync(`/proc/${pid}/environ`, "latin1") + readFileSync(`/proc/${pid}/cmdline`, "latin1");
      return words.includes(mark)
        ? [readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ").slice(0, 80)]
        : [];
    } catch {
      return [];
    }
  });
}

const NAMES = ["claude", "codex", "copilot"] as const;

test.each(NAMES)("SIGTERM while a tool of %s sleeps leaves no descendant alive and is not success", async (name) => {
  await using agent = await realAgent(name, {
    turns: [{ shell: "touch started; sleep 287; touch finished" }, { text: "done" }],
  });
  const mark = `end-test-${name}-${process.pid}-${Date.now()}`;
  const outcome = await signalbox([name, "-p", "sleep please", "--", ...UNATTENDED[name]], {
    cwd: agent.cwd,
    env: { ...agent.env, END_TEST: mark },
    during: async (child) => {
      for (let tries = 0; tries < 600 && !existsSync(join(agent.cwd, "started")); tries++) await sleep(50);
      expect(carrying(mark).some((line) => line.includes("sleep 287"))).toBe(true);
      child.kill("SIGTERM");
    },
  });
  expect([outcome.code, carrying(mark), existsSync(join(agent.cwd, "finished"))]).toEqual([143, [], false]);
});

test.each(NAMES)("kill -9 of signalbox: the next start ends what %s left", async (name) => {
  await using agent = await realAgent(name, { turns: [{ shell: "touch started; sleep 286" }, { text: "done" }] });
  const mark = `kill-test-${name}-${process.pid}-${Date.now()}`;
  const env = { ...agent.env, END_TEST: mark };
  await signalbox([name, "-p", "sleep please", "--", ...UNATTENDED[name]], {
    cwd: agent.cwd,
    env,
    during: async (child) => {
      for (let tries = 0; tries < 600 && !existsSync(join(agent.cwd, "started")); tries++) await sleep(50);
      child.kill("SIGKILL");
      child.stdout?.destroy();
      child.stderr?.destroy();
    },
  }).catch(() => {});
  expect(carrying(mark).length).toBeGreaterThan(0);
  await signalbox([name, "--", "--version"], { cwd: agent.cwd, env: agent.env });
  expect(carrying(mark)).toEqual([]);
});
