import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { signalbox } from "./run-signalbox.ts";
import { standInAgent } from "./stand-in-agent.ts";
import { tempRepository } from "./temp-folder.ts";

const CALLER = join(import.meta.dirname, "../fixtures/agents/hook-caller.mjs");

export type Held = "claude" | "codex" | "copilot";
export const HELD: readonly Held[] = ["claude", "codex", "copilot"];

interface Step {
  /** The event in this agent's own words, and what it sends; or a command to run in between. */
  readonly event?: string;
  readonly payload?: unknown;
  readonly sh?: string;
}

interface Setup {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly flags?: readonly string[];
  readonly own?: readonly string[];
  /** Files under the home folder, by path. */
  readonly prepare?: (home: string, cwd: string) => void;
}

export interface Answer {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A guarded launch of a stand-in that calls the hooks it was given, as the real agent of that name would. */
export async function launchCaller(agent: Held, steps: readonly Step[], setup: Setup = {}) {
  // The stand-in is a script of the Node that runs the tests: an agent brings its own runtime too.
  const script = `exec '${process.execPath}' "$(dirname "$0")/${agent}.mjs" "$@"`;
  const { env, home, folder } = standInAgent(agent, script);
  writeFileSync(join(folder, `${agent}.mjs`), readFileSync(CALLER));
  const cwd = setup.cwd ?? tempRepository();
  setup.prepare?.(home, cwd);
  const calls = join(folder, "calls.json");
  writeFileSync(calls, JSON.stringify(steps));
  const outcome = await signalbox([agent, "-p", "go", ...(setup.own ?? []), "--", ...(setup.flags ?? [])], {
    cwd,
    env: { ...env, CALLS: calls, ...setup.env },
  });
  return { outcome, home, cwd, ...readAnswers(env["RECORD"] ?? "") };
}

function readAnswers(record: string): {
  readonly answers: readonly Answer[];
  readonly argv: readonly string[];
  readonly folder: string;
} {
  try {
    return JSON.parse(readFileSync(join(record, "answers"), "utf8"));
  } catch {
    return { answers: [], argv: [], folder: "" };
  }
}

/** The agent's own way to tell that a shell command is about to run. */
export function before(agent: Held, command: string, cwd?: string): Step {
  if (agent === "copilot")
    return {
      event: "preToolUse",
      payload: { sessionId: "s", timestamp: 1, cwd, toolName: "bash", toolArgs: { command } },
    };
  return {
    event: "PreToolUse",
    payload: { session_id: "s", cwd, hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command } },
  };
}

/** What an answer means to the agent: the decision, or nothing. */
export function decisionOf(agent: Held, answer: Answer | undefined): string {
  const object = JSON.parse(answer?.stdout || "{}");
  return String((agent === "copilot" ? object : (object.hookSpecificOutput ?? {})).permissionDecision ?? "none");
}
