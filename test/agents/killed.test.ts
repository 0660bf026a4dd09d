import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { AgentEvent } from "../../src/contract/agent-event.ts";
import { killIfAlive } from "../support/kill-if-alive.ts";
import { signalbox } from "../support/run-signalbox.ts";
import { isInstalled, realAgent, type RealName } from "./real-agent.ts";

const SDK = join(import.meta.dirname, ".install/sdk/node_modules/@github/copilot-sdk/dist/index.js");

/** Every way in which a real agent can be given a task: the agent, our words for it, and its environment. */
const WAYS: readonly [string, RealName, readonly string[], NodeJS.ProcessEnv][] = [
  ["claude", "claude", ["claude"], {}],
  // Its own sandbox does not work in every container.
  ["codex", "codex", ["codex", "--param", 'flags=["--dangerously-bypass-approvals-and-sandbox"]'], {}],
  ["copilot by its SDK", "copilot", ["copilot"], { ABP_COPILOT_TRANSPORT: "sdk", ABP_COPILOT_SDK_MODULE: SDK }],
  ["copilot over ACP", "copilot", ["copilot"], { ABP_COPILOT_TRANSPORT: "acp" }],
  ["copilot by its JSON output", "copilot", ["copilot"], { ABP_COPILOT_TRANSPORT: "legacy" }],
  ["an ACP agent", "copilot", ["--acp", "copilot --acp"], {}],
];

const present = WAYS.filter(([, name, , env]) => isInstalled(name) && existsSync(env["ABP_COPILOT_SDK_MODULE"] ?? "/"));

/** The live children of a process and theirs. */
function descendants(pid: number): number[] {
  const children = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && parentOf(name) === pid);
  return children.flatMap((name) => [Number(name), ...descendants(Number(name))]);
}

function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 4).split(" ")[0]);
  } catch {
    return undefined;
  }
}

async function until(look: () => boolean): Promise<void> {
  while (!look()) await sleep(50);
}

/** Runs a task whose one call never ends, and does something as soon as the call has begun. */
async function interrupted(way: (typeof WAYS)[number], act: (pid: number) => void) {
  const [, name, words, env] = way;
  await using agent = await realAgent(name, {
    turns: [{ shell: "touch begun && tail -f /dev/null" }, { text: "never" }],
  });
  const outcome = await signalbox(["run", ...words, "wait", "--json"], {
    cwd: agent.cwd,
    env: { ...agent.env, ...env },
    async during(child) {
      await until(() => child.exitCode !== null || existsSync(join(agent.cwd, "begun")));
      if (child.pid !== undefined) act(child.pid);
    },
  });
  const trace = outcome.stdout
    .trim()
    .split("\n")
    .map((line) => AgentEvent.parse(JSON.parse(line)));
  const verified = await signalbox(["receipt", "verify"], { cwd: agent.cwd, env: agent.env });
  return { ...outcome, last: trace.at(-1)?.ext, verified: verified.code };
}

// That it ends at all is the point: a run that waited for its dead agent would wait for the half hour of its idle limit.
test.skipIf(process.platform !== "linux").each(present)(
  "%s, killed in the middle of a call, ends the run with a receipt and exit 7",
  async (...way) => {
    const { code, last, verified } = await interrupted(way, (pid) => {
      for (const child of descendants(pid)) killIfAlive(child);
    });
    expect([code, last?.["stopped"], verified]).toEqual([7, "crashed", 0]);
  },
);

test.skipIf(process.platform !== "linux").each(present)(
  "%s, interrupted in the middle of a call, ends with a receipt, and our process with it",
  async (...way) => {
    const { code, last, verified } = await interrupted(way, (pid) => void process.kill(pid, "SIGINT"));
    expect([code, last?.["stopped"], verified]).toEqual([130, "interrupted", 0]);
  },
);

const COPILOTS = present.filter(([, name]) => name === "copilot");

test.skipIf(process.platform !== "linux").each(COPILOTS)(
  "%s, of which only the program behind its launcher is killed: that is told as the cause, and nothing else",
  async (...way) => {
    const { code, stdout, stderr } = await interrupted(way, (pid) => {
      for (const child of descendants(pid).filter(isNative)) killIfAlive(child);
    });
    expect([code, stdout]).toEqual([7, expect.stringMatching(/: killed by SIGKILL"/)]);
    expect(stdout + stderr).not.toContain("einstall");
  },
);

const isNative = (pid: number) =>
  readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")[0]?.endsWith(`/copilot-linux-${process.arch}/copilot`) ===
  true;
