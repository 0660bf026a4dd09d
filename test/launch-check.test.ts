import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { trust } from "../src/guard/policy/trust.ts";
import { type Answer, before, HELD, type Held, launchCaller } from "./support/hook-calling-agent.ts";
import { isAlive } from "./support/is-alive.ts";
import { isOnPath } from "./support/is-on-path.ts";
import { signalbox } from "./support/run-signalbox.ts";
import { tempRepository } from "./support/temp-folder.ts";
import { withoutSandbox } from "./support/without-sandbox.ts";
import { BY_SCRIPT } from "./support/workers/worker.ts";
import { writeWorkspace } from "./support/workers/write-workspace.ts";

type Steps = Parameters<typeof launchCaller>[1];

const STOP = { claude: "Stop", codex: "Stop", copilot: "agentStop" } as const;

/** The agent's own way to tell that it wants to stop. */
const stop = (agent: Held, more: object = {}) =>
  agent === "copilot"
    ? { event: STOP[agent], payload: { sessionId: "s", timestamp: Date.now(), stopReason: "end_turn", ...more } }
    : { event: STOP[agent], payload: { session_id: "s", hook_event_name: "Stop", stop_hook_active: false, ...more } };

/** What a call of the agent does, between its hooks. */
const does = (sh: string): Steps => {
  const after = {
    session_id: "s",
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_input: {},
    tool_response: "",
  };
  return [before("claude", "true"), { sh }, { event: "PostToolUse", payload: after }];
};

const IGNORED = { ...BY_SCRIPT.files, ".gitignore": "runs.log\n*.pid\n" };

interface Setting {
  readonly flags?: readonly string[];
  readonly check?: string;
  readonly contained?: boolean;
  readonly cwd?: string;
}

async function launch(agent: Held, steps: Steps, { flags = [], check = "sh check.sh", contained, cwd }: Setting = {}) {
  const ended = await launchCaller(agent, steps, {
    cwd: cwd ?? workspace(),
    own: ["--accept", check, ...flags],
    prepare: (home) => void (contained === true ? rmSync(join(home, ".signalbox/policy.yaml")) : withoutSandbox(home)),
  });
  const { code, stderr } = ended.outcome;
  return { ...ended, code, lines: linesOf(stderr), blocks: ended.answers.map(blockOf) };
}

function workspace(): string {
  const cwd = tempRepository();
  writeWorkspace(cwd, { ...BY_SCRIPT, files: IGNORED, does: "", shell: [], code: 0 });
  return cwd;
}

const linesOf = (stderr: string) =>
  stderr
    .split("\n")
    .flatMap((line) => /^signalbox: ((?:VERIFIED|FAILED|CHANGED|STALE|NOT|\d+ calls?,).*)$/.exec(line)?.[1] ?? [])
    .map((line) => line.replace(/\d[\d.]* s, at [0-9a-f]{6}/, "TIME").replace(/receipt [0-9a-f]{8}.*/, "receipt"));

const blockOf = ({ stdout }: Answer): unknown => JSON.parse(stdout || "{}").decision;

const FIX = "echo 'echo $(($1 + $2))' > calc.sh";

test.each(HELD)("a failed check goes back to %s with its output, as often as was asked", async (agent) => {
  const steps = [stop(agent), stop(agent, { timestamp: Date.now() + 1 })];
  const { code, lines, blocks, answers } = await launch(agent, steps, {
    check: "echo 2 failed, 3 passed; exit 1",
    flags: ["--rounds", "1"],
  });
  expect([code, blocks]).toEqual([0, ["block", undefined]]);
  expect(answers[0]?.stdout).toContain("2 failed, 3 passed");
  expect(lines).toEqual([
    "FAILED echo 2 failed, 3 passed; exit 1: 2 of 5 failed (sent back to the agent, 1 of 1)",
    "FAILED echo 2 failed, 3 passed; exit 1: 2 of 5 failed (sent back once)",
    "FAILED echo 2 failed, 3 passed; exit 1: 2 of 5 failed",
    "0 calls, 0 denied, 0 files changed; receipt",
  ]);
});

test("with --rounds 0 the result is only told", async () => {
  const { lines, blocks } = await launch("claude", [stop("claude")], { flags: ["--rounds", "0"] });
  expect([blocks, lines[0]]).toEqual([[undefined], "FAILED sh check.sh: exited 1"]);
});

test("what was accepted and has not changed is not checked again, and what changed later is stale", async () => {
  const check = "echo run >> runs.log; sh check.sh";
  const steps = [...does(FIX), stop("claude"), stop("claude"), ...does("echo more > more.txt")];
  const { lines, cwd } = await launch("claude", steps, { check });
  expect(readFileSync(join(cwd, "runs.log"), "utf8")).toBe("run\n");
  expect(lines).toEqual([
    `VERIFIED ${check} (TIME)`,
    `VERIFIED ${check} (TIME)`,
    "STALE: 1 file changed after the last green run (more.txt)",
    "2 calls, 0 denied, 2 files changed; receipt",
  ]);
});

test("what its person changes meanwhile is not blamed on the agent", async () => {
  const late = await launch("claude", [...does(FIX), stop("claude"), { sh: "sleep 0.1; echo mine > mine.txt" }]);
  expect(late.lines.at(-2)).toBe(
    "STALE: 1 file changed after the last green run, not by a call of the agent (mine.txt)",
  );

  const edited = await launch("claude", [{ sh: "sleep 0.1; echo 'exit 0' > check.sh" }, stop("claude")]);
  const line =
    "CHANGED: the check was edited while no call of the agent ran (check.sh); if you did, start with --accept-changed to count it";
  expect([edited.blocks, edited.lines[0]]).toEqual([[undefined], line]);

  const own = await launch("claude", [...does("echo 'exit 0' > check.sh"), stop("claude")]);
  expect([own.blocks.at(-1), own.lines[0]]).toEqual([
    "block",
    "CHANGED: the agent edited the check (check.sh) (sent back to the agent, 1 of 3)",
  ]);
});

test("an agent that never wants to stop is checked when it ends, and one that was stopped is not", async () => {
  const ended = await launch("claude", does(FIX), { flags: ["--strict-exit"] });
  expect([ended.code, ended.lines[0]]).toEqual([0, "VERIFIED sh check.sh (TIME)"]);
  const stopped = await launch("claude", [...does(FIX), { sh: 'kill -TERM "$LAUNCHER"; sleep 30' }]);
  expect([stopped.code, stopped.lines[0]]).toEqual([143, "NOT CHECKED: sh check.sh did not run"]);
});

test.each(HELD)("a sub-agent of %s that stops runs no check", async (agent) => {
  const sub =
    agent === "copilot"
      ? stop(agent, { agentId: "a1" })
      : { event: "SubagentStop", payload: { session_id: "s", agent_id: "a1", hook_event_name: "SubagentStop" } };
  const { cwd, blocks } = await launch(agent, [sub], { check: "echo run >> runs.log; false" });
  expect([blocks, existsSync(join(cwd, "runs.log"))]).toEqual([[undefined], false]);
});

test.each([
  ["hangs", "sleep 300", ["--accept-timeout", "1"], "FAILED sleep 300: took longer than 1000 ms"],
  ["is killed", "kill -9 $$", [], "FAILED kill -9 $$: was killed by SIGKILL"],
  ["needs a terminal", "cat < /dev/tty || exit 1", [], "FAILED cat < /dev/tty || exit 1: exited 1"],
  ["prints a gigabyte", "head -c 1G /dev/zero; false", [], "FAILED head -c 1G /dev/zero; false: exited 1"],
])("a check that %s has failed", async (_, check, more, line) => {
  const { code, lines } = await launch("claude", [stop("claude")], { check, flags: ["--rounds", "0", ...more] });
  expect([code, lines[0]]).toEqual([0, line]);
});

test("the receipt of a check that took too long says so, and a secret in a check is in none of the lines and files", async () => {
  const secret = `ghp_${"a1B2c3D4".repeat(5)}`;
  const check = `sleep 300 # ${secret}`;
  const flags = ["--rounds", "1", "--accept-timeout", "1"];
  const { home, cwd, outcome, answers } = await launch("claude", [stop("claude")], { check, flags });
  const receipt = await signalbox(["receipt", "show", "last"], { cwd, env: { HOME: home } });
  expect(receipt.stdout).toMatch(/^check +failed, took too long: sleep 300 # \[redacted /m);
  expect(outcome.stderr).toContain("FAILED sleep 300 # [redacted");
  const kept = globSync("receipts/**", { cwd: join(home, ".signalbox"), withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"));
  expect(kept.length).toBeGreaterThan(0);
  for (const text of [...kept, outcome.stderr, outcome.stdout, ...answers.map(({ stdout }) => stdout)])
    expect(text).not.toContain(secret);
});

test("what a check leaves running ends with it", async () => {
  const check = "sleep 300 & echo $! > left.pid; exit 1";
  const { cwd } = await launch("claude", [stop("claude")], { check, flags: ["--rounds", "0"] });
  expect(isAlive(Number(readFileSync(join(cwd, "left.pid"), "utf8")))).toBe(false);
});

test("an interruption during the check ends both, and says that nothing was checked", async () => {
  const cwd = workspace();
  const check = 'echo $$ > check.pid; kill -INT "$(cat launcher.pid)"; sleep 300';
  const steps = [{ sh: 'echo "$LAUNCHER" > launcher.pid' }, ...does("true"), stop("claude")];
  const { code, lines } = await launch("claude", steps, { check, cwd });
  expect([code, lines[0]]).toEqual([130, `NOT CHECKED: ${check} did not run`]);
  expect(isAlive(Number(readFileSync(join(cwd, "check.pid"), "utf8")))).toBe(false);
});

test("two launches with checks in one folder do not disturb each other", async () => {
  const cwd = workspace();
  const steps = [...does(FIX), stop("claude")];
  const both = await Promise.all([launch("claude", steps, { cwd }), launch("claude", steps, { cwd })]);
  for (const { code, lines } of both)
    expect([code, lines.at(-2)]).toEqual([0, expect.stringMatching(/^(VERIFIED|STALE)/)]);
});

test.skipIf(!isOnPath("bwrap"))("the check of a contained launch runs in a sandbox too", async () => {
  const outside = tempRepository();
  const check = `touch ${outside}/made`;
  const { lines } = await launch("claude", [stop("claude")], { check, contained: true, flags: ["--rounds", "0"] });
  expect([lines[0], existsSync(join(outside, "made"))]).toEqual([expect.stringMatching(`^FAILED ${check}`), false]);
});

test("a check that nothing can ask for is refused", async () => {
  const cwd = workspace();
  writeFileSync(join(cwd, "made"), "");
  const refused = async (...flags: readonly string[]) => {
    const { code, stderr } = await signalbox(["claude", ...flags], {
      cwd,
      env: { SIGNALBOX_CLAUDE_BINARY: "/bin/true" },
    });
    return [code, stderr.split("\n").find((line) => /check|--/.test(line))];
  };
  expect(await refused("--accept", "true", "--unguarded")).toEqual([
    3,
    expect.stringContaining("it is started without our hooks"),
  ]);
  expect(await refused("--accept", "true", "--accept-timeout", "0")).toEqual([
    2,
    expect.stringContaining("0 seconds let no check pass"),
  ]);
  expect(await refused("--rounds", "2")).toEqual([2, expect.stringContaining("this flag needs --accept")]);
  expect(await refused("--accept", "true", "--rounds", "9")).toEqual([
    2,
    expect.stringContaining("--rounds needs a whole number from 0 to 8"),
  ]);
});

test("receipt list and runs show a launch with what its check found", async () => {
  const { home, cwd } = await launch("claude", [...does(FIX), stop("claude")]);
  const run = async (...args: readonly string[]) => (await signalbox(args, { cwd, env: { HOME: home } })).stdout;
  expect(await run("runs")).toMatch(/^[0-9a-f-]{36} {2}\S+ {2}claude {2}restorable {2}verified/m);
  expect(await run("receipt", "list")).toMatch(/claude {2}complete, answered, accepted/);
});

test("a launch's receipt covers its part of the audit log", async () => {
  const { home, cwd } = await launch("claude", [...does(FIX), stop("claude")]);
  const run = async (...args: readonly string[]) => await signalbox(args, { cwd, env: { HOME: home } });
  expect((await run("receipt", "verify")).code).toBe(0);
  const { seal } = JSON.parse((await run("receipt", "export", "last")).stdout);
  const { predicate } = JSON.parse(Buffer.from(seal.payload, "base64").toString());
  expect(predicate.audit_head).toMatchObject({ count: 1 });
  const log = join(home, ".signalbox/audit", predicate.audit_head.segment);
  writeFileSync(log, readFileSync(log, "utf8").replace('"allow"', '"deny"'));
  expect((await run("receipt", "verify")).code).not.toBe(0);
});

test("a project's settings name its check once they are trusted, and a flag wins", async () => {
  const cwd = workspace();
  mkdirSync(join(cwd, ".signalbox"));
  writeFileSync(join(cwd, ".signalbox/settings.yaml"), "accept: sh check.sh\n");
  const play = async (isTrusted: boolean, own: readonly string[] = []) => {
    const prepare = (home: string) => {
      const path = join(cwd, ".signalbox/settings.yaml");
      const file = { path, time: new Date().toISOString(), text: readFileSync(path, "utf8") };
      if (isTrusted) trust(join(home, ".signalbox"), file);
    };
    const { outcome } = await launchCaller("claude", [stop("claude")], {
      cwd,
      own: ["--rounds", "0", ...own],
      prepare,
    });
    return [outcome.code, linesOf(outcome.stderr)[0], /not trusted/.test(outcome.stderr)];
  };
  expect(await play(true)).toEqual([0, "FAILED sh check.sh: exited 1", false]);
  expect(await play(true, ["--accept", "true"])).toEqual([0, "VERIFIED true (TIME)", false]);
  expect(await play(false)).toEqual([2, undefined, true]);
});

test("work that nobody checked is told how it could be, once a day, unless that is switched off", async () => {
  const cwd = workspace();
  writeFileSync(join(cwd, "go.mod"), "module x\n");
  const hint = 'signalbox: nothing was checked; signalbox claude --accept "go test ./..." would have';
  const play = async (steps: Steps, home?: string) => {
    const { outcome, home: used } = await launchCaller("claude", steps, {
      cwd,
      prepare: (own) => void (home !== undefined && writeFileSync(join(own, ".signalbox/settings.yaml"), home)),
    });
    return { told: outcome.stderr.includes(hint), used };
  };
  expect((await play(does("true"))).told).toBe(true);
  expect((await play([stop("claude")])).told).toBe(false);
  expect((await play(does("true"), "check_hint: false\n")).told).toBe(false);
});

test("limits are kept or refused, never ignored", async () => {
  const timed = await launchCaller("claude", [...does("true"), { sh: "sleep 60" }], { own: ["--timeout", "1"] });
  expect([timed.outcome.code, timed.outcome.stderr]).toEqual([
    5,
    expect.stringContaining("stopped: more than 1 s (--timeout)"),
  ]);
  const { stdout } = await signalbox(["receipt", "show", "last"], { cwd: timed.cwd, env: { HOME: timed.home } });
  expect(stdout).toContain("stopped at a limit: more than 1 s (--timeout)");
  const limited = await launchCaller("claude", [], { own: ["--max-turns", "4", "--max-budget-usd", "0.5"] });
  expect(limited.argv.join(" ")).toContain("--max-turns 4 --max-budget-usd 0.5");
  const refused = await launchCaller("codex", [], { own: ["--max-turns", "4"] });
  expect([refused.outcome.code, refused.outcome.stderr]).toEqual([
    3,
    expect.stringContaining("Codex CLI has no such limit"),
  ]);
});

test("a check runs in the folder where the agent was started, and its own folder decides", async () => {
  const root = workspace();
  const cwd = join(root, "packages/a");
  mkdirSync(cwd, { recursive: true });
  writeFileSync(join(root, "t.sh"), "exit 0\n");
  writeFileSync(join(cwd, "t.sh"), "echo 1 failed, 0 passed; exit 1\n");
  const { lines } = await launch("claude", [stop("claude")], { check: "sh t.sh", cwd, flags: ["--rounds", "0"] });
  expect(lines[0]).toBe("FAILED cd 'packages/a' && sh t.sh: 1 of 1 failed");
});

test("a call between two stops has the check run again, because it may have changed what git ignores", async () => {
  const cwd = workspace();
  writeFileSync(join(cwd, ".gitignore"), "build\n");
  mkdirSync(join(cwd, "build"));
  writeFileSync(join(cwd, "build/out"), "right\n");
  const call = { session_id: "s", cwd, tool_name: "Bash", tool_input: { command: "echo wrong >build/out" } };
  const steps = [
    stop("claude"),
    { event: "PreToolUse", payload: { ...call, hook_event_name: "PreToolUse" } },
    { sh: "echo wrong >build/out" },
    { event: "PostToolUse", payload: { ...call, hook_event_name: "PostToolUse", tool_response: {} } },
    stop("claude", { timestamp: Date.now() + 1 }),
  ];
  const { lines } = await launch("claude", steps, { cwd, check: "grep -q right build/out", flags: ["--rounds", "0"] });
  expect(lines.slice(0, 2)).toEqual([
    "VERIFIED grep -q right build/out (TIME)",
    "FAILED grep -q right build/out: exited 1",
  ]);
});
