import { appendFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { expect } from "vitest";
import { writeFiles } from "../support/contained-work.ts";
import { SIGNALBOX } from "../support/run-signalbox.ts";
import { terminal } from "../support/tmux-terminal.ts";
import { containedAgent, type ContainedName } from "./contained-agent.ts";

export const LONG = { timeout: 90_000, interval: 100 };

interface OnTerminal {
  readonly ready: string;
  /** Ends it. */
  readonly quit: string;
  /** What it needs to start without questions of its own. */
  readonly home: (cwd: string) => Readonly<Record<string, string>>;
  /** What its question shows, and the keys that answer it. Missing where a hook cannot ask. */
  readonly question?: Question;
}

interface Question {
  readonly shows: string;
  /** How many lines at the end of the screen show it while it is open. */
  readonly lines: number;
  readonly yes: readonly string[];
  readonly no: readonly string[];
}

export const ON_TERMINAL: Readonly<Record<ContainedName, OnTerminal>> = {
  claude: {
    ready: "❯",
    quit: "/exit",
    home: (cwd) => ({
      ".claude.json": JSON.stringify({
        hasCompletedOnboarding: true,
        customApiKeyResponses: { approved: ["sk-fake"], rejected: [] },
        projects: { [cwd]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
      }),
    }),
    question: { shows: "Do you want to proceed?", lines: 24, yes: ["Enter"], no: ["Escape"] },
  },
  codex: { ready: "Ask Codex", quit: "/quit", home: () => ({}) },
  copilot: {
    ready: "/ commands",
    quit: "/exit",
    home: (cwd) => ({ ".copilot/config.json": JSON.stringify({ trusted_folders: [cwd] }) }),
    question: { shows: "Do you want to allow this tool call?", lines: 24, yes: ["Enter"], no: ["Escape"] },
  },
  native: {
    ready: "/help",
    quit: "/exit",
    home: () => ({}),
    question: { shows: "Allow this call?", lines: 1, yes: ["y", "Enter"], no: ["n", "Enter"] },
  },
};

type Turns = Parameters<typeof containedAgent>[1]["turns"];
type Prepare = (cwd: string, home: string) => void;

/** Starts an agent with the flags of a plain launch, and those of ours, and types a task. */
export async function startOnTerminal(name: ContainedName, turns: Turns, prepare: Prepare, flags = "") {
  const agent = await containedAgent(name, { turns: [...(turns ?? []), { text: "all done" }] });
  const { cwd, home } = agent;
  // A model calls `signalbox outside` by its name.
  const path = [dirname(SIGNALBOX), agent.env["PATH"]].join(delimiter);
  // Native's lines; what it draws is tested in rich-terminal.test.ts.
  const env = { ...agent.env, PATH: path, SIGNALBOX_PLAIN: "1" };
  prepare(cwd, home);
  const { home: files, ready } = ON_TERMINAL[name];
  writeFiles(home, files(cwd));
  if (name === "codex")
    appendFileSync(join(home, ".codex/config.toml"), `\n[projects.${JSON.stringify(cwd)}]\ntrust_level = "trusted"\n`);
  const { keys, shows, screen, resize } = terminal({ cwd, env }, `'${SIGNALBOX}' ${name} ${flags}; sh`);
  await shows(ready);
  keys("work");
  await shows("work");
  keys("Enter");
  /** Waits until the model has been asked for this many turns. */
  const turn = (count: number) =>
    expect
      .poll(() => agent.model.requests.filter(({ answered }) => answered === "turn").length, LONG)
      .toBeGreaterThanOrEqual(count);
  return { ...agent, keys, shows, screen, resize, turn };
}
