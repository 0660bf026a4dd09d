import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { isOnPath } from "../support/is-on-path.ts";
import { signalbox } from "../support/run-signalbox.ts";
import { withoutSandbox } from "../support/without-sandbox.ts";
import { containedAgent } from "./contained-agent.ts";
import { program, realAgent, UNATTENDED } from "./real-agent.ts";

/** Each agent as its user starts it without signalbox, in a folder that it trusts. */
const BARE = {
  claude: ["-p", "work", ...UNATTENDED.claude],
  codex: ["exec", ...UNATTENDED.codex, "--dangerously-bypass-hook-trust", "work"],
  copilot: ["-p", "work", ...UNATTENDED.copilot],
} as const;

test.each([
  ["claude", "."],
  ["codex", "."],
  ["codex", "below/it"],
  ["copilot", "."],
  ["copilot", "below/it"],
] as const)("%s that is started by itself in %s of a staged repository is held", async (name, folder) => {
  expect(await work(name, folder)).toEqual({ denied: false, allowed: true });
});

test("claude below the top of a repository does not read what is staged at the top, as docs/staging.md says", async () => {
  expect(await work("claude", "below/it")).toEqual({ denied: true, allowed: true });
});

/** How Copilot is started in a folder that it trusts, where it also runs the hooks that are staged for Claude Code. */
const STARTS = [
  ["inside a launch, contained", { launch: true, contained: true, hooks: true }],
  ["inside a launch, contained, without hooks of the repository", { launch: true, contained: true, hooks: false }],
  ["inside a launch without a sandbox", { launch: true, contained: false, hooks: true }],
  ["without a launch", { launch: false, contained: false, hooks: true }],
] as const;

test.skipIf(!isOnPath("python3")).each(STARTS)(
  "copilot in a staged repository, %s: each call is judged once, each hook runs once, and stop.py may refuse a stop",
  async (_, { launch, contained, hooks }) => {
    await using agent = await containedAgent("copilot", {
      turns: [{ shell: "touch denied.txt; sudo true" }, { shell: "touch allowed.txt" }, { text: "done" }, STOPPED],
    });
    trustFolder(agent.env["COPILOT_HOME"] ?? "", agent.cwd);
    if (!contained) withoutSandbox(agent.home);
    const log = join(agent.home, "hooks.log");
    if (hooks) await addHooks(agent, log);
    expect((await signalbox(["stage"], agent)).code).toBe(0);
    const args = ["-p", "work", ...UNATTENDED.copilot];
    if (launch) expect((await signalbox(["copilot", "--", ...args], agent)).code).toBe(0);
    else await runBare("copilot", args, agent);
    expect(await serversLeft(join(agent.home, ".signalbox/servers"))).toEqual([]);
    const places = ["denied.txt", "allowed.txt"].map((name) => existsSync(join(agent.cwd, name)));
    expect([verdicts(agent.home), places]).toEqual([
      ["deny", "allow"],
      [false, true],
    ]);
    const ran = existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n").toSorted() : [];
    expect(ran).toEqual(hooks ? HOOKS_RAN : []);
    expect(agent.model.failedExpectations).toEqual([]);
    expect(agent.model.requests.filter(({ answered }) => answered === "turn")).toHaveLength(hooks ? 4 : 3);
  },
);

test.skipIf(!isOnPath("python3")).each(["claude", "codex"] as const)(
  "%s that signalbox starts goes on when the ancestor's stop.py refuses the stop",
  async (name) => {
    await using agent = await containedAgent(name, { turns: [{ text: "done" }, STOPPED] });
    await addHooks(agent, join(agent.home, "hooks.log"));
    expect((await signalbox([name, "-p", "work"], agent)).code).toBe(0);
    const answered = agent.model.requests.filter((request) => request.answered === "turn");
    expect([answered.length, agent.model.failedExpectations]).toEqual([2, []]);
    // Codex reports no end of a session.
    const ran = readFileSync(join(agent.home, "hooks.log"), "utf8").split("\n");
    expect(ran.filter((line) => line === "stop.py")).toHaveLength(2);
  },
);

/** Where an agent finds an entry of its own for the ancestor's script. `@` is the repository. */
const STOP_ENTRIES = [
  ["claude", "the repository's settings", "@/.claude/settings.json", "Stop"],
  ["claude", "the user's settings", "~/.claude/settings.json", "Stop"],
  ["copilot", "the settings for Claude Code", "@/.claude/settings.json", "Stop"],
  ["copilot", "the repository's hooks", "@/.github/hooks/all.json", "agentStop"],
  ["copilot", "the user's hooks", "~/.copilot/hooks/all.json", "agentStop"],
] as const;

test.skipIf(!isOnPath("python3")).each(STOP_ENTRIES)(
  "%s runs the ancestor's stop.py once a stop if an entry in %s starts it too",
  async (name, _, place, event) => {
    await using agent = await containedAgent(name, { turns: [{ text: "done" }, STOPPED] });
    const { cwd, home } = agent;
    if (name === "copilot") trustFolder(agent.env["COPILOT_HOME"] ?? "", cwd);
    const command = `python3 ${cwd}/.claude/tools/amplihack/hooks/stop.py`;
    const entry = { type: "command", command };
    const entries = [event === "Stop" ? { hooks: [entry] } : entry];
    const file = place.replace(/^@/, cwd).replace(/^~/, home);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ version: 1, hooks: { [event]: entries } }));
    await addHooks(agent, join(home, "hooks.log"));
    for (const words of [
      [name, "--", "-p", "work", ...(name === "copilot" ? UNATTENDED.copilot : [])],
      ["run", name, "work"],
    ]) {
      rmSync(join(home, "hooks.log"), { force: true });
      expect((await signalbox(words, agent)).code).toBe(0);
      const ran = readFileSync(join(home, "hooks.log"), "utf8").split("\n");
      expect([words[0], ran.filter((line) => line === "stop.py").length]).toEqual([words[0], 2]);
    }
    expect(agent.model.failedExpectations).toEqual([]);
  },
);

const STOPPED = { text: "done again", expect: { contains: "the tests fail" } };
const EVENTS = ["session-start", "prompt-submitted", "tool-before", "tool-after", "session-end"];
/** A denied call never reaches a hook. The first stop is refused, and Copilot reports the reason as a prompt. */
const HOOKS_RAN = [
  ...EVENTS.filter((event) => event !== "prompt-submitted"),
  "prompt-submitted the tests fail",
  "prompt-submitted work",
  "session_stop.py",
  "stop.py",
  "stop.py",
].toSorted();

/** Trusted hooks of the repository that write their names into `log`. The ancestor's stop.py refuses the first stop. */
async function addHooks(agent: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }, log: string): Promise<void> {
  const ancestor = join(agent.cwd, ".claude/tools/amplihack/hooks");
  const own = join(agent.cwd, ".signalbox/hooks");
  for (const folder of [ancestor, own]) mkdirSync(folder, { recursive: true });
  const prompt = `$(sed -n 's/.*"prompt":"\\([^"]*\\)".*/ \\1/p')`;
  for (const event of EVENTS)
    writeFileSync(join(own, event), `#!/bin/sh\necho "${event}${prompt}" >>'${log}'\necho '{}'\n`, { mode: 0o755 });
  const note = (name: string) => `import json, sys\nopen(${JSON.stringify(log)}, "a").write("${name}\\n")\n`;
  const refuse = `if not json.load(sys.stdin).get("stop_hook_active"):\n    print(json.dumps({"decision": "block", "reason": "the tests fail"}))\n`;
  writeFileSync(join(ancestor, "stop.py"), note("stop.py") + refuse);
  writeFileSync(join(ancestor, "session_stop.py"), note("session_stop.py"));
  const trusted = await signalbox(["trust", "--yes"], agent);
  expect([trusted.code, trusted.stderr]).toEqual([0, ""]);
}

const verdicts = (home: string) =>
  readdirSync(join(home, ".signalbox/audit")).flatMap((name) =>
    readFileSync(join(home, ".signalbox/audit", name), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).verdict),
  );

/** Starts an agent as its user does without signalbox. */
async function runBare(
  name: keyof typeof BARE,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<void> {
  const run = promisify(execFile)(program(name), args, { cwd, env });
  run.child.stdin?.end();
  await run;
}

/** Stages, lets the agent try a call that is denied and one that is allowed, and tells which of them happened. */
async function work(name: keyof typeof BARE, folder: string) {
  await using agent = await realAgent(name, {
    turns: [{ shell: "touch denied.txt; sudo true" }, { shell: "touch allowed.txt" }, { text: "done" }],
  });
  const cwd = join(agent.cwd, folder);
  mkdirSync(cwd, { recursive: true });
  if (agent.env["COPILOT_HOME"] !== undefined) trustFolder(agent.env["COPILOT_HOME"], agent.cwd);
  const staged = await signalbox(["stage", name], { cwd: agent.cwd, env: agent.env });
  expect([staged.code, staged.stderr]).toEqual([0, ""]);
  await runBare(name, BARE[name], { cwd, env: agent.env });
  expect(await serversLeft(join(agent.env["HOME"] ?? "", ".signalbox/servers"))).toEqual([]);
  return { denied: existsSync(join(cwd, "denied.txt")), allowed: existsSync(join(cwd, "allowed.txt")) };
}

/** Servers that go on, when the agent has ended and they had time to notice. */
async function serversLeft(folder: string): Promise<readonly string[]> {
  for (let tries = 0; ; tries++) {
    const names = existsSync(folder) ? readdirSync(folder) : [];
    const left = names.filter(
      (name) => name.endsWith(".starting") || (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0) > 0,
    );
    if (left.length === 0 || tries > 200) return left;
    await sleep(100);
  }
}

function trustFolder(copilotHome: string, folder: string): void {
  mkdirSync(copilotHome, { recursive: true });
  writeFileSync(join(copilotHome, "config.json"), JSON.stringify({ trusted_folders: [folder] }));
}
