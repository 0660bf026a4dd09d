import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { isOnPath } from "../support/is-on-path.ts";
import { SIGNALBOX, signalbox } from "../support/run-signalbox.ts";
import { terminal, WAIT } from "../support/tmux-terminal.ts";
import { PROVABLE, realAgent } from "./real-agent.ts";

/** A rule of the agent's own about `touch`, as its user would write it. */
const RULES = {
  claude: {
    deny: { ".claude/settings.json": JSON.stringify({ permissions: { deny: ["Bash(touch:*)"] } }) },
    ask: { ".claude/settings.json": JSON.stringify({ permissions: { ask: ["Bash(touch:*)"] } }) },
  },
  codex: {
    deny: { ".codex/rules/own.rules": 'prefix_rule(pattern=["touch"], decision="forbidden")\n' },
    ask: { ".codex/rules/own.rules": 'prefix_rule(pattern=["touch"], decision="prompt")\n' },
  },
  copilot: { deny: ["--deny-tool=shell(touch)"], ask: undefined },
} as const;

/** What a user needs besides. None of these flags lets the agent skip a question about a command. */
const FLAGS = {
  claude: ["--model", "claude-sonnet-4-5"],
  codex: ["--skip-git-repo-check"],
  copilot: ["--no-auto-update", "-s"],
} as const;

const COMMANDS = [
  "touch plain",
  "true; touch second",
  "bash -c 'touch inner'",
  "eval 'touch evaluated'",
  "timeout 5 touch timed",
  "echo made > beside; echo $(cat beside) > also",
];
const RULED = ["plain", "second", "inner", "evaluated", "timed"];

function writer(home: string) {
  return (path: string, text: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  };
}

async function made(name: (typeof PROVABLE)[number], rule: "deny" | "ask" | undefined): Promise<readonly string[]> {
  await using agent = await realAgent(name, { turns: [{ shell: COMMANDS }, { text: "done" }] });
  const { cwd, env } = agent;
  const write = writer(env["HOME"] ?? "");
  write(".signalbox/policy.yaml", "version: 1\nsandbox: workspace\n");
  const own = rule === undefined ? undefined : RULES[name][rule];
  const flags = Array.isArray(own) ? own : [];
  if (own !== undefined && !Array.isArray(own))
    for (const [path, text] of Object.entries(own)) write(path, String(text));
  const { code } = await signalbox([name, "-p", "work", "--", ...FLAGS[name], ...flags], { cwd, env });
  expect(code).toBe(0);
  return [...RULED, "beside", "also"].filter((file) => existsSync(join(cwd, file)));
}

test.skipIf(!isOnPath("bwrap")).each(PROVABLE)(
  "contained and headless, %s runs every command unasked, and its user's own rule still holds in every spelling",
  async (name) => {
    expect(await made(name, undefined)).toEqual([...RULED, "beside", "also"]);
    expect(await made(name, "deny")).toEqual(["beside", "also"]);
    // Copilot has no rules that ask. Nobody is there to be asked, so a question is a denial.
    if (RULES[name].ask !== undefined) expect(await made(name, "ask")).toEqual(["beside", "also"]);
  },
);

/** What each agent needs on a terminal to start without questions of its own, and how its question looks. */
const ON_TERMINAL = {
  claude: {
    home: (cwd: string) => ({
      ".claude.json": JSON.stringify({
        hasCompletedOnboarding: true,
        customApiKeyResponses: { approved: ["sk-fake"], rejected: [] },
        projects: { [cwd]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
      }),
    }),
    ready: "for shortcuts",
    // Our question, with the rule and its file.
    question: "Bash(touch:*)",
  },
  codex: { home: () => ({}), ready: "Ask Codex", question: "requires approval by policy" },
} as const;

test.skipIf(!isOnPath("bwrap") || !isOnPath("tmux")).each(["claude", "codex"] as const)(
  "on a terminal %s runs a command unasked, and a rule of its user's that asks still asks",
  { retry: 2 },
  async (name) => {
    await using agent = await realAgent(name, {
      turns: [{ shell: ["echo > unasked", "touch asked"] }, { text: "all done" }],
    });
    const { cwd, env } = agent;
    const home = env["HOME"] ?? "";
    const write = writer(home);
    const { home: files, ready, question } = ON_TERMINAL[name];
    // Codex itself asks, which it only can where a call may stay as it is.
    write(".signalbox/policy.yaml", "version: 1\nsandbox: auto\n");
    for (const [path, text] of Object.entries({ ...RULES[name].ask, ...files(cwd) })) write(path, String(text));
    if (name === "codex")
      appendFileSync(
        join(home, ".codex/config.toml"),
        `\n[projects.${JSON.stringify(cwd)}]\ntrust_level = "trusted"\n`,
      );
    const flags = FLAGS[name].filter((flag) => flag !== "--skip-git-repo-check");
    const { keys, shows } = terminal({ cwd, env }, `'${SIGNALBOX}' ${name} -- ${flags.join(" ")}; sleep 60`);
    await shows(ready);
    keys("begin");
    await shows("begin");
    keys("Enter");
    await shows(question);
    await expect.poll(() => existsSync(join(cwd, "unasked")), WAIT).toBe(true);
    expect(existsSync(join(cwd, "asked"))).toBe(false);
    // For a moment after its question appears, Claude takes no answer.
    const answered = () => {
      const isMade = existsSync(join(cwd, "asked"));
      if (!isMade) keys("Enter");
      return isMade;
    };
    await expect.poll(answered, { ...WAIT, interval: 1000 }).toBe(true);
  },
);
