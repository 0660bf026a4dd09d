import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { needs } from "./support/platform.ts";
import { signalbox } from "./support/run-signalbox.ts";
import { isAlive } from "./support/is-alive.ts";
import { isOnPath } from "./support/is-on-path.ts";
import { type StandIn, standInAgent } from "./support/stand-in-agent.ts";
import { tempRepository } from "./support/temp-folder.ts";

const treeTest = needs("setsid", "process marks");
/** Starts a tool in a session of its own, as every real agent does, notes its pid, then does the rest. */
const withTool = (rest: string, tool = "sleep 300") =>
  `setsid ${tool} & echo $! >"$RECORD/tool"\necho $$ >"$RECORD/agent"\n${rest}`;

const pidIn = (agent: StandIn, file: string) => Number(readFileSync(join(agent.env["RECORD"] ?? "", file), "utf8"));

async function untilWritten(agent: StandIn, file: string): Promise<void> {
  const path = join(agent.env["RECORD"] ?? "", file);
  for (let tries = 0; tries < 500; tries++) {
    if (existsSync(path) && readFileSync(path, "utf8").endsWith("\n")) return;
    await sleep(20);
  }
  throw new Error(`${file} was never written`);
}

const sending = (agent: StandIn, signal: NodeJS.Signals) => async (child: ChildProcess) => {
  await untilWritten(agent, "agent");
  child.kill(signal);
};

treeTest.each([
  ["SIGTERM", 143],
  ["SIGINT", 130],
  ["SIGHUP", 129],
] as const)("%s ends the agent and a tool in its own session, and is not success", async (signal, code) => {
  const agent = standInAgent("claude", withTool("trap 'exit 0' TERM INT HUP; while :; do sleep 0.05; done"));
  const outcome = await signalbox(["claude", "-p", "x"], {
    cwd: tempRepository(),
    env: agent.env,
    during: sending(agent, signal),
  });
  expect([outcome.code, isAlive(pidIn(agent, "tool")), isAlive(pidIn(agent, "agent"))]).toEqual([code, false, false]);
});

treeTest("an agent's own non-zero code after SIGTERM is kept", async () => {
  const agent = standInAgent("claude", withTool("trap 'exit 7' TERM; while :; do sleep 0.05; done"));
  const outcome = await signalbox(["claude", "-p", "x"], {
    cwd: tempRepository(),
    env: agent.env,
    during: sending(agent, "SIGTERM"),
  });
  expect([outcome.code, isAlive(pidIn(agent, "tool"))]).toEqual([7, false]);
});

treeTest("an agent and a tool that ignore SIGTERM are killed", async () => {
  const stubborn = `sh -c 'trap "" TERM; while :; do sleep 0.1; done'`;
  const agent = standInAgent("codex", withTool("trap '' TERM; while :; do sleep 0.05; done", stubborn));
  const outcome = await signalbox(["codex", "-p", "x"], {
    cwd: tempRepository(),
    env: agent.env,
    during: sending(agent, "SIGTERM"),
  });
  expect([outcome.code, isAlive(pidIn(agent, "tool")), isAlive(pidIn(agent, "agent"))]).toEqual([137, false, false]);
});

treeTest("a second signal kills the tools at once, without asking them first", async () => {
  const tool = `sh -c 'trap "echo >\\"$RECORD/asked\\"" TERM; echo >"$RECORD/ready"; while :; do sleep 0.05; done'`;
  const agent = standInAgent(
    "codex",
    withTool(`trap 'echo >"$RECORD/first"' TERM; while :; do sleep 0.05; done`, tool),
  );
  const outcome = await signalbox(["codex", "-p", "x"], {
    cwd: tempRepository(),
    env: agent.env,
    during: async (child) => {
      await untilWritten(agent, "agent");
      await untilWritten(agent, "ready");
      child.kill("SIGTERM");
      await untilWritten(agent, "first");
      child.kill("SIGTERM");
    },
  });
  expect([outcome.code, isAlive(pidIn(agent, "tool"))]).toEqual([137, false]);
  // After a single signal the tools get TERM, and KILL only when that did not help.
  expect(existsSync(join(agent.env["RECORD"] ?? "", "asked"))).toBe(false);
});

treeTest("a tool that cleaned its environment is still found through its parent", async () => {
  const agent = standInAgent(
    "claude",
    withTool("trap 'exit 0' TERM; while :; do sleep 0.05; done", "env -i sleep 300"),
  );
  await signalbox(["claude", "-p", "x"], { cwd: tempRepository(), env: agent.env, during: sending(agent, "SIGTERM") });
  expect(isAlive(pidIn(agent, "tool"))).toBe(false);
});

treeTest("what an agent leaves running when it exits by itself is ended too", async () => {
  const agent = standInAgent("claude", withTool("exit 3"));
  const outcome = await signalbox(["claude", "--", "--version"], { cwd: tempRepository(), env: agent.env });
  expect([outcome.code, isAlive(pidIn(agent, "tool"))]).toEqual([3, false]);
});

treeTest("what outlived a kill -9 of signalbox is ended at the next start, with its files", async () => {
  const agent = standInAgent("claude", withTool("while :; do sleep 0.05; done"));
  const runs = join(agent.env["TMPDIR"] ?? "", `signalbox-${process.getuid?.()}`);
  const cwd = tempRepository();
  await signalbox(["claude", "-p", "x"], {
    cwd,
    env: agent.env,
    during: async (child) => {
      await untilWritten(agent, "agent");
      child.kill("SIGKILL");
      // The agent still holds our output pipes; the test must not wait for them.
      child.stdout?.destroy();
      child.stderr?.destroy();
    },
  }).catch(() => {});
  expect([isAlive(pidIn(agent, "tool")), isAlive(pidIn(agent, "agent")), readdirSync(runs)]).toEqual([
    true,
    true,
    [expect.any(String)],
  ]);

  const other = standInAgent("codex");
  const next = await signalbox(["codex", "--", "--version"], {
    cwd,
    env: { ...other.env, TMPDIR: agent.env["TMPDIR"] },
  });
  expect(next.stderr).toContain("stopped processes left behind by a killed signalbox");
  expect([isAlive(pidIn(agent, "tool")), isAlive(pidIn(agent, "agent")), existsSync(runs)]).toEqual([
    false,
    false,
    false,
  ]);
});

treeTest("a live launch is not swept by another one", async () => {
  const agent = standInAgent("claude", withTool("trap 'exit 0' TERM; while :; do sleep 0.05; done"));
  const cwd = tempRepository();
  await signalbox(["claude", "-p", "x"], {
    cwd,
    env: agent.env,
    during: async (child) => {
      await untilWritten(agent, "agent");
      const other = standInAgent("codex");
      await signalbox(["codex", "--", "--version"], {
        cwd,
        env: { ...other.env, TMPDIR: agent.env["TMPDIR"] },
      });
      expect(isAlive(pidIn(agent, "tool"))).toBe(true);
      child.kill("SIGTERM");
    },
  });
  expect(isAlive(pidIn(agent, "tool"))).toBe(false);
});

treeTest("a signalbox inside an agent is ended with it, and so is its own agent", async () => {
  const inner = standInAgent("codex", withTool("trap '' TERM; while :; do sleep 0.05; done"));
  const path = join(import.meta.dirname, "../bin/signalbox");
  const outer = standInAgent(
    "claude",
    `RECORD='${inner.env["RECORD"]}' PATH='${inner.env["PATH"]}' '${path}' codex -p x & wait`,
  );
  await signalbox(["claude", "-p", "x"], {
    cwd: tempRepository(),
    env: outer.env,
    during: async (child) => {
      await untilWritten(inner, "agent");
      child.kill("SIGTERM");
    },
  });
  expect([isAlive(pidIn(inner, "tool")), isAlive(pidIn(inner, "agent"))]).toEqual([false, false]);
});

treeTest("the run folder is gone afterwards, after success and after a signal", async () => {
  const agent = standInAgent("claude", withTool("trap 'exit 0' TERM; while :; do sleep 0.05; done"));
  await signalbox(["claude", "-p", "x"], { cwd: tempRepository(), env: agent.env, during: sending(agent, "SIGTERM") });
  const left = readdirSync(agent.env["TMPDIR"] ?? "").filter((name) => name.startsWith("signalbox-"));
  expect(left).toEqual([]);
});

/** Runs a command line in a terminal of its own; `during` types into it. Returns the screen once it shows `until`. */
async function inTerminal(
  agent: StandIn,
  command: string,
  until: RegExp,
  during?: (type: (...keys: string[]) => void) => Promise<void>,
): Promise<string> {
  const cwd = tempRepository();
  const env = { ...process.env, ...agent.env, SHELL: "/bin/bash" };
  // The socket by its short name: a whole path may be longer than a socket's can be.
  const tmux = (...args: string[]) =>
    execFileSync("tmux", ["-S", "tmux", ...args], { cwd: agent.home, encoding: "utf8", env });
  tmux("-f", "/dev/null", "new-session", "-d", "-x", "200", "-y", "50", "-c", cwd, `${command}; sleep 60`);
  try {
    await during?.((...keys) => void tmux("send-keys", ...keys));
    let screen = "";
    for (let tries = 0; tries < 300 && !until.test(screen); tries++) {
      await sleep(50);
      screen = tmux("capture-pane", "-p");
    }
    return screen;
  } finally {
    tmux("kill-server");
  }
}

const PROGRAM = join(import.meta.dirname, "../bin/signalbox");

// Node puts the terminal back when our process ends; what we say before that would still stand askew on a raw one.
test.runIf(isOnPath("tmux"))(
  "a launch in a terminal gives it back as it was, before it says anything itself",
  async () => {
    const agent = standInAgent("claude", "stty -echo raw <&2; exit 4");
    const screen = await inTerminal(
      agent,
      `'${PROGRAM}' claude -p x; echo "code=$?"; stty -a | tr ' ;' '\\n\\n' | grep -x -e echo -e -echo`,
      /^-?echo$/m,
    );
    expect(screen).toMatch(/any tools it ran were not checked\s*\n^code=4\s*\n^echo$/m);
  },
);

test.runIf(isOnPath("tmux"))("Ctrl-C in a terminal reaches the agent once, and its own exit code is ours", async () => {
  const agent = standInAgent(
    "claude",
    `trap 'echo caught >>"$RECORD/caught"; exit 42' INT; echo ready >"$RECORD/agent"; while :; do sleep 0.05; done`,
  );
  const screen = await inTerminal(agent, `'${PROGRAM}' claude; echo "code=$?"`, /code=\d+/, async (type) => {
    await untilWritten(agent, "agent");
    type("C-c");
  });
  expect([/code=\d+/.exec(screen)?.[0], readFileSync(join(agent.env["RECORD"] ?? "", "caught"), "utf8")]).toEqual([
    "code=42",
    "caught\n",
  ]);
});

needs("/proc")("a signal that was ignored at the start, as under nohup, stays ignored", async () => {
  const agent = standInAgent(
    "claude",
    `trap 'exit 7' TERM; trap 'exit 8' HUP; echo $$ >"$RECORD/agent"; while :; do sleep 0.05; done`,
  );
  const script = `trap '' HUP; exec '${PROGRAM}' claude -p x`;
  const child = spawn("sh", ["-c", script], {
    cwd: tempRepository(),
    env: { ...process.env, ...agent.env },
    stdio: "ignore",
  });
  await untilWritten(agent, "agent");
  child.kill("SIGHUP");
  child.kill("SIGTERM");
  const [code] = await once(child, "exit");
  expect(code).toBe(7);
});

test("a launch in another pid namespace is not taken for a dead one", async () => {
  const agent = standInAgent("claude");
  const runs = join(agent.env["TMPDIR"] ?? "", `signalbox-${process.getuid?.()}`);
  mkdirSync(runs, { mode: 0o700 });
  const foreign = join(runs, `${"a".repeat(32)}.12345.1.99`);
  mkdirSync(foreign);
  await signalbox(["claude", "--", "--version"], { cwd: tempRepository(), env: agent.env });
  expect(readdirSync(runs)).toEqual([`${"a".repeat(32)}.12345.1.99`]);
});

test("an agent that is a script which starts signalbox again is stopped", async () => {
  const agent = standInAgent("claude", `exec '${PROGRAM}' claude -- "$@"`);
  const outcome = await signalbox(["claude", "--", "--version"], { cwd: tempRepository(), env: agent.env });
  expect(outcome.code).toBe(3);
  expect(outcome.stderr).toContain("sessions are nested too deeply: this would be number 9, and the limit is 8\n");
});

treeTest("Ctrl-Z stops a headless agent and its tool with signalbox, and both go on afterwards", async () => {
  const agent = standInAgent("claude", withTool("trap 'exit 0' TERM; while :; do sleep 0.05; done"));
  const state = (pid: number) => /\) (\w) /.exec(readFileSync(`/proc/${pid}/stat`, "latin1"))?.[1];
  const settles = async (wanted: (seen: string) => boolean, pids: readonly number[]) => {
    for (let tries = 0; tries < 250 && !pids.every((pid) => wanted(state(pid) ?? "")); tries++) await sleep(20);
    return pids.map((pid) => wanted(state(pid) ?? ""));
  };
  const outcome = await signalbox(["claude", "-p", "x"], {
    cwd: tempRepository(),
    env: agent.env,
    during: async (child) => {
      await untilWritten(agent, "agent");
      const pids = [child.pid ?? 0, pidIn(agent, "agent"), pidIn(agent, "tool")];
      child.kill("SIGTSTP");
      expect(await settles((seen) => seen === "T", pids)).toEqual([true, true, true]);
      child.kill("SIGCONT");
      expect(await settles((seen) => seen !== "T", pids)).toEqual([true, true, true]);
      child.kill("SIGTERM");
    },
  });
  expect([outcome.code, isAlive(pidIn(agent, "tool"))]).toEqual([143, false]);
});
