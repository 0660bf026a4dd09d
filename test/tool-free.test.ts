import { expect, test } from "vitest";
import { signalbox } from "./support/run-signalbox.ts";
import { standInAgent } from "./support/stand-in-agent.ts";
import { tempRepository } from "./support/temp-folder.ts";

/** Starts a stand-in with these words after `--`; tells whether it got the rules, or that it was not started. */
async function startWith(agent: string, words: readonly string[]) {
  const { env, recorded } = standInAgent(agent);
  const outcome = await signalbox([agent, "--", ...words], { cwd: tempRepository(), env });
  const seen = recorded();
  if (seen === undefined) return `refused with ${outcome.code}`;
  return [seen.guardFlags.length > 0 ? "guarded" : "free", ...seen.argv].join(" ");
}

const PROMPTS = [
  ["doctor", "-p", "do it"],
  ["sessions", "--model", "x"],
  ["mcp", "list", "--print", "do it"],
  ["auth", "-cp", "do it"],
  ["install", "-pc", "do it"],
  ["update", "-pdo it"],
  ["setup-token", "--print=x"],
  // A `--` that a flag takes as its value ends nothing.
  ["doctor", "--model", "--", "-p", "do it"],
  ["mcp", "add", "x", "-e", "--", "--session-id", "y"],
  ["mcp", "add", "x", "--", "npx", "-p", "y"],
  ["plugin", "list", "--dangerously-skip-permissions"],
  ["purge", "--worktree", "x"],
];

test.each(PROMPTS.map((words) => [words] as const))(
  "Claude Code is guarded when its words may be a prompt: %j",
  async (words) => {
    expect(await startWith("claude", words)).toBe(["guarded", ...words].join(" "));
  },
);

const UNREACHED = [
  ["doctor", "--bg", "do it"],
  ["doctor", "--background", "do it"],
  ["doctor", "--tmux", "--worktree", "x"],
  ["doctor", "--handle-uri", "claude-cli://open"],
  ["plugin", "eval", "."],
  ["plugins", "eval", "."],
  ["remote-control"],
];

test.each(UNREACHED.map((words) => [words] as const))(
  "a session that no hook of ours reaches is refused: %j",
  async (words) => {
    expect(await startWith("claude", words)).toBe("refused with 3");
  },
);

const FREE = [
  ["claude", "doctor"],
  ["claude", "mcp", "add", "-s", "user", "--transport=http", "x", "http://127.0.0.1:1/"],
  ["claude", "mcp", "add", "-e", "A=b", "--", "x", "server", "--settings", "y"],
  ["claude", "plugin", "install", "--scope", "user", "-y", "x"],
  ["claude", "auth", "status", "--json"],
  ["claude", "update", "--help"],
  ["codex", "mcp", "add", "x", "--", "npx", "-p", "y"],
  ["codex", "login", "--with-api-key"],
  ["copilot", "mcp", "list", "--json"],
];

test.each(FREE.map((words) => [words] as const))(
  "a sub-command that starts no session needs no guard: %j",
  async ([agent = "", ...words]) => {
    expect(await startWith(agent, words)).toBe(["free", ...words].join(" "));
  },
);

test("Copilot's logout, which is no sub-command of it, is guarded", async () => {
  expect(await startWith("copilot", ["logout"])).toBe("guarded logout");
});
