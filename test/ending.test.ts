import { type ChildProcess, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { signalbox } from "./run-signalbox.ts";
import { isOnPath } from "./is-on-path.ts";
import { type StandIn, standInAgent } from "./stand-in-agent.ts";
import { tempRepository } from "./temp-folder.ts";

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

function alive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "latin1").includes(") Z ");
  } catch {
    return false;
  }
}

const sending = (agent: StandIn, signal: NodeJS.Signals) => async (child: ChildProcess) => {
  await untilWritten(agent, "agent");
  child.kill(signal);
};

test.each([
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
  expect([outcome.code, alive(pidIn(agent, "tool")), alive(pidIn(agent, "agent"))]).toEqual([code, false, false]);
});

test("an agent's own non-zero code after SIGTERM is kept", async () => {
  const agent = standInAgent("claude", withTool("trap 'exit 7' TERM; while :; do sleep 0.05; done"));
  const outcome = await signalbox(["claude", "-p", "x"], {
    cwd: tempRepository(),
    env: agent.env,
    during: sending(agent, "SIGTERM"),
  });
  expect([outcome.code, alive(pidIn(agent, "tool"))]).toEqual([7, false]);
});

test("an agent and a tool that ignore SIGTERM are killed", async () => {
  const stubborn = `sh -c 'trap "" TERM; while :; do sleep 0.1; done'`;
  const agent = standInAgent("codex", withTool("trap '' TERM; while :; do sleep 0.05; done", stubborn));
  const outcome = await signalbox(["codex", "-p", "x"], {
    cwd: tempRepository(),
    env: agent.env,
    during: sending(agent, "SIGTERM"),
  });
  expect([outcome.code, alive(pidIn(agent, "tool")), alive(pidIn(agent, "agent"))]).toEqual([137, false, false]);
});

test("a second signal does not wait for the grace", async () => {
  const agent = standInAgent("codex", withTool("trap '' TERM; while :; do sleep 0.05; done"));
  const started = performance.now();
  const outcome = await signalbox(["codex", "-p", "x"], {
    cwd: tempRepository(),
    env: agent.env,
    during: async (child) => {
      await untilWritten(agent, "agent");
      child.kill("SIGTERM");
      await sleep(50);
      child.kill("SIGTERM");
    },
  });
  expect([outcome.code, alive(pidIn(agent, "tool"))]).toEqual([137, false]);
  expect(performance.now() - started).toBeLessThan(10_000);
});

test("a tool that cleaned its environment is still found through its parent", async () => {
  const agent = standInAgent(
    "claude",
    withTool("trap 'exit 0' TERM; while :; do sleep 0.05; done", "env -i sleep 300"),
  );
  await signalbox(["claude", "-p", "x"], { cwd: tempRepository(), env: agent.env, during: sending(agent, "SIGTERM") });
  expect(alive(pidIn(agent, "tool"))).toBe(false);
});

test("what an agent leaves running when it exits by itself is ended too", async () => {
  const agent = standInAgent("claude", withTool("exit 3"));
  const outcome = await signalbox(["claude", "--", "--version"], { cwd: tempRepository(), env: agent.env });
  expect([outcome.code, alive(pidIn(agent, "tool"))]).toEqual([3, false]);
});

test("what outlived a kill -9 of signalbox is ended at the next start, with its files", async () => {
  const agent = standInAgent("claude", withTool("while :; do sleep 0.05; done"));
  const runs = join(agent.env["XDG_RUNTIME_DIR"] ?? "", "signalbox");
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
  expect([alive(pidIn(agent, "tool")), alive(pidIn(agent, "agent")), readdirSync(runs)]).toEqual([
    true,
    true,
    [expect.any(String)],
  ]);

  const other = standInAgent("codex");
  const next = await signalbox(["codex", "--", "--version"], {
    cwd,
    env: { ...other.env, XDG_RUNTIME_DIR: agent.env["XDG_RUNTIME_DIR"] },
  });
  expect(next.stderr).toContain("ended what an earlier, killed signalbox had left running");
  expect([alive(pidIn(agent, "tool")), alive(pidIn(agent, "agent")), readdirSync(runs)]).toEqual([false, false, []]);
});

test("a live launch is not swept by another one", async () => {
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
        env: { ...other.env, XDG_RUNTIME_DIR: agent.env["XDG_RUNTIME_DIR"] },
      });
      expect(alive(pidIn(agent, "tool"))).toBe(true);
      child.kill("SIGTERM");
    },
  });
  expect(alive(pidIn(agent, "tool"))).toBe(false);
});

test("a signalbox inside an agent is ended with it, and so is its own agent", async () => {
  const inner = standInAgent("codex", withTool("trap '' TERM; while :; do sleep 0.05; done"));
  const path = join(import.meta.dirname, "../bin/signalbox");
  const outer = standInAgent(
    "claude",
    `RECORD='${inner.env["RECORD"]}' PATH='${inner.env["PATH"]}' ${path} codex -p x & wait`,
  );
  await signalbox(["claude", "-p", "x"], {
    cwd: tempRepository(),
    env: outer.env,
    during: async (child) => {
      await untilWritten(inner, "agent");
      child.kill("SIGTERM");
    },
  });
  expect([alive(pidIn(inner, "tool")), alive(pidIn(inner, "agent"))]).toEqual([false, false]);
});

test("the run folder is gone afterwards, after success and after a signal", async () => {
  const agent = standInAgent("claude", withTool("trap 'exit 0' TERM; while :; do sleep 0.05; done"));
  await signalbox(["claude", "-p", "x"], { cwd: tempRepository(), env: agent.env, during: sending(agent, "SIGTERM") });
  expect(readdirSync(join(agent.env["XDG_RUNTIME_DIR"] ?? "", "signalbox"))).toEqual([]);
});

test.runIf(isOnPath("tmux"))("a launch in a terminal restores it and hands Ctrl-C to the agent", async () => {
  const agent = standInAgent("claude", "stty -echo raw; exit 4");
  const cwd = tempRepository();
  mkdirSync(join(cwd, "tmux"));
  const tmux = (...args: string[]) =>
    execFileSync("tmux", ["-S", join(cwd, "tmux/socket"), ...args], {
      encoding: "utf8",
      env: { ...process.env, ...agent.env },
    });
  const script = `${join(import.meta.dirname, "../bin/signalbox")} claude; echo "code=$?"; stty -a | tr ' ;' '\\n\\n' | grep -x -e echo -e -echo; sleep 60`;
  tmux("-f", "/dev/null", "new-session", "-d", "-x", "200", "-y", "50", "-c", cwd, script);
  try {
    let screen = "";
    for (let tries = 0; tries < 300 && !/^-?echo$/m.test(screen); tries++) {
      await sleep(50);
      screen = tmux("capture-pane", "-p");
    }
    expect(screen).toMatch(/^code=4\s*\n^echo$/m);
  } finally {
    tmux("kill-server");
  }
});
