import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { AgentEvent } from "../../src/contract/agent-event.ts";
import { type Outcome, PROJECT, signalbox } from "../support/run-signalbox.ts";
import { expectOneDenial } from "./one-denial.ts";
import { isInstalled, realAgent } from "./real-agent.ts";

const SCRIPT = {
  turns: [{ shell: "echo made by the agent > made.txt" }, { shell: "cat made.txt" }, { text: "all is written" }],
};

const FLAGS = {
  claude: ["--dangerously-skip-permissions", "--model", "claude-sonnet-4-5"],
  codex: ["--dangerously-bypass-approvals-and-sandbox"],
} as const;

/** As long as the example for `auto` in the seed, and awkward. */
const LONG = `${"it's a 'task': $(x) \\ é\n".repeat(4700)}write it`;

const events = ({ stdout }: Outcome) =>
  stdout
    .trim()
    .split("\n")
    .map((line) => AgentEvent.parse(JSON.parse(line)));

/** The commands that a trace shows, without what an agent's shell wraps around them. */
const commands = (trace: readonly AgentEvent[]) =>
  trace.flatMap((event) => {
    if (event.type !== "tool_call") return [];
    const text = JSON.stringify(event.input);
    return [["echo made by the agent > made.txt", "cat made.txt"].find((command) => text.includes(command)) ?? text];
  });

const tools = (trace: readonly AgentEvent[]) =>
  trace.flatMap((event) => (event.type === "tool_call" ? event.tool_name : []));

test.each(["claude", "codex"] as const)("one task by %s: the same calls, a checked result, a receipt", async (name) => {
  await using agent = await realAgent(name, SCRIPT);
  const { cwd, env } = agent;
  const args = ["auto", "--agent", name, "--task", LONG, "--json", "--param", `flags=${JSON.stringify(FLAGS[name])}`];
  const outcome = await signalbox([...args, "--accept", "grep -q agent made.txt"], { cwd, env });
  expect([outcome.code, outcome.stderr]).toEqual([0, ""]);
  const trace = events(outcome);
  expect(commands(trace)).toEqual(["echo made by the agent > made.txt", "cat made.txt"]);
  expect(tools(trace)).toEqual(["Bash", "Bash"]);
  expect([trace[0]?.type, trace.at(-1)?.type]).toEqual(["run_started", "run_completed"]);
  expect(trace.at(-1)?.ext).toMatchObject({
    verified: "accepted",
    claimed: true,
    calls_not_held: [],
  });
  expect(readFileSync(join(cwd, "made.txt"), "utf8")).toBe("made by the agent\n");
  expect(JSON.stringify(agent.model.requests.at(-1)?.body)).toContain(JSON.stringify(LONG).slice(1, -1));
});

const ACP = {
  gemini: "gemini --acp --skip-trust -m gemini-2.5-flash",
  copilot: "copilot --acp --no-auto-update",
} as const;

test.each(["gemini", "copilot"] as const)(
  "one task by %s over ACP: the same calls, a checked result, a receipt",
  async (name) => {
    if (!isInstalled(name)) return;
    await using agent = await realAgent(name, SCRIPT);
    const { cwd, env } = agent;
    const args = ["run", "--acp", ACP[name], "write it", "--json", "--accept", "grep -q agent made.txt"];
    const outcome = await signalbox(args, { cwd, env });
    expect([outcome.code, outcome.stderr]).toEqual([0, ""]);
    const trace = events(outcome);
    expect(commands(trace)).toEqual(["echo made by the agent > made.txt", "cat made.txt"]);
    expect(trace.at(-1)?.ext).toMatchObject({ verified: "accepted", claimed: true });
  },
);

test.each(["gemini", "copilot"] as const)(
  "a command that the rules deny is not carried out by %s over ACP",
  async (name) => {
    if (!isInstalled(name)) return;
    await using agent = await realAgent(name, {
      turns: [{ shell: "touch /etc/signalbox-was-here" }, { text: "I could not" }],
    });
    const outcome = await signalbox(["run", "--acp", ACP[name], "do it", "--json"], { cwd: agent.cwd, env: agent.env });
    expect([outcome.code, existsSync("/etc/signalbox-was-here")]).toEqual([3, false]);
    expectOneDenial(events(outcome), "touch /etc/signalbox-was-here");
  },
);

test.each(["claude", "codex"] as const)(
  "a model that refuses makes the run of %s fail, with a receipt",
  async (name) => {
    await using agent = await realAgent(name, {
      turns: [{ text: "never", failures: Array.from({ length: 12 }, () => ({ status: 400 })) }],
    });
    const outcome = await signalbox(["run", name, "try", "--json"], { cwd: agent.cwd, env: agent.env });
    expect([outcome.code, events(outcome).at(-1)?.ext?.["stopped"]]).toEqual([1, "failed"]);
  },
);

test.each(["claude", "codex"] as const)(
  "a call that the rules deny is not carried out by %s, and giving up is exit 3",
  async (name) => {
    await using agent = await realAgent(name, {
      turns: [{ shell: "touch /etc/signalbox-was-here" }, { text: "I could not" }],
    });
    const args = ["run", name, "do it", "--json", "--param", `flags=${JSON.stringify(FLAGS[name])}`];
    const outcome = await signalbox(args, { cwd: agent.cwd, env: agent.env });
    expect([outcome.code, existsSync("/etc/signalbox-was-here")]).toEqual([3, false]);
    expect(events(outcome).at(-1)?.ext).toMatchObject({ stopped: "denied", calls_not_held: [] });
    // Codex leaves it out of its stream, so the name comes from the hook.
    expect(tools(events(outcome))).toEqual(["Bash"]);
    expectOneDenial(events(outcome), "touch /etc/signalbox-was-here");
  },
);

test("the rules of the order hold inside Claude Code", async () => {
  await using agent = await realAgent("claude", SCRIPT);
  const args = ["run", "claude", "write it", "--json", "--deny-tool", "Bash", "--model", "claude-sonnet-4-5"];
  const outcome = await signalbox(args, { cwd: agent.cwd, env: agent.env });
  expect([outcome.code, existsSync(join(agent.cwd, "made.txt"))]).toEqual([3, false]);
});

test("without flags of one's own, Claude Code works under the hooks alone", async () => {
  await using agent = await realAgent("claude", SCRIPT);
  const args = ["run", "claude", "write it", "--json", "--model", "claude-sonnet-4-5"];
  const outcome = await signalbox(args, { cwd: agent.cwd, env: agent.env });
  expect([outcome.code, existsSync(join(agent.cwd, "made.txt"))]).toEqual([0, true]);
});

test("a call that Claude Code itself turns down is not taken for one that ran unjudged", async () => {
  const edit = { name: "Edit", input: { file_path: "a.txt", old_string: "not there", new_string: "x" } };
  await using agent = await realAgent("claude", {
    turns: [{ shell: "echo a > a.txt" }, { calls: [edit] }, { text: "done" }],
  });
  const { cwd, env } = agent;
  const { code, stderr } = await signalbox(["run", "claude", "work"], { cwd, env });
  expect([code, stderr]).toEqual([0, expect.not.stringContaining("not judged")]);
  const { stdout } = await signalbox(["receipt", "show", "last"], { cwd, env });
  expect(stdout).toMatch(/^guarded +yes: 1 allowed, 0 asked, 0 denied; 1 refused by the agent itself$/m);
});

test("an agent that was wanted without hooks is said to be not held", async () => {
  await using agent = await realAgent("claude", SCRIPT);
  const args = [
    "run",
    "claude",
    "write it",
    "--unguarded",
    "--json",
    "--param",
    `flags=${JSON.stringify(FLAGS.claude)}`,
  ];
  const outcome = await signalbox(args, { cwd: agent.cwd, env: agent.env });
  expect(events(outcome).at(-1)?.ext?.["calls_not_held"]).toHaveLength(2);
});

test("a staged run of Claude Code leaves the repository alone, verifies, and can be brought back", async () => {
  await using agent = await realAgent("claude", SCRIPT);
  const options = { cwd: agent.cwd, env: agent.env };
  const outcome = await signalbox(["run", "claude", "write it", "--staged", "--model", "claude-sonnet-4-5"], options);
  expect([outcome.code, existsSync(join(agent.cwd, "made.txt"))]).toEqual([0, false]);
  expect((await signalbox(["receipt", "verify"], options)).code).toBe(0);
  const run = /signalbox apply ([0-9a-f-]{36})/.exec(outcome.stderr)?.[1] ?? "";
  const applied = await signalbox(["apply", run], options);
  expect([applied.code, readFileSync(join(agent.cwd, "made.txt"), "utf8")]).toEqual([0, "made by the agent\n"]);
});

test("a limit on turns that Claude Code keeps itself is exit 5", async () => {
  await using agent = await realAgent("claude", SCRIPT);
  const args = [
    "run",
    "claude",
    "write it",
    "--json",
    "--max-turns",
    "1",
    "--param",
    `flags=${JSON.stringify(FLAGS.claude)}`,
  ];
  const outcome = await signalbox(args, { cwd: agent.cwd, env: agent.env });
  expect(outcome.code).toBe(5);
});

test.each(["claude", "codex"] as const)("a check runs what %s wrote, contained as its commands are", async (name) => {
  const write = "require('fs').writeFileSync(process.env.HOME + '/escaped', '')";
  await using agent = await realAgent(name, {
    turns: [{ shell: `mkdir -p src; echo "${write}" > src/made.cjs` }, { text: "done" }],
  });
  const { cwd, env } = agent;
  const flags = ["--param", `flags=${JSON.stringify(FLAGS[name])}`];
  const accept = (check: string) => ["run", name, "t", "--staged", ...flags, "--accept", check];
  const contained = await signalbox(accept("node -e 'require(\"./src/made.cjs\")'"), { cwd, env });
  const escaped = join(env["HOME"] ?? "", "escaped");
  expect([contained.code, existsSync(escaped)]).toEqual([0, false]);
  const outside = await signalbox(accept(`signalbox outside -- touch ${escaped}`), {
    cwd,
    env: { ...env, PATH: [join(PROJECT, "bin"), env["PATH"]].join(delimiter) },
  });
  expect([outside.code, existsSync(escaped)]).toEqual([0, true]);
});
