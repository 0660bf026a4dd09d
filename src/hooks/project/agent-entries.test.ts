import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { claudeOwnHooks } from "../../agents/claude/own-rules.ts";
import { findHooks, withoutAgentEntries } from "./find-hooks.ts";
import { ancestorHooks } from "./ancestor-hooks.ts";

const STACK = ".claude/tools/amplihack/hooks";
const SCRIPTS = ["session_start.py", "stop.py", "pre_tool_use.py", "post_tool_use.py"];
const ALL = ["session_start.py", "stop.py", "stop.py", "pre_tool_use.py", "post_tool_use.py"];

function scene(below: "repository" | "home") {
  const [workspace, folder, home] = [tempFolder(), tempFolder(), tempFolder()];
  const put = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode: 0o755 });
  };
  for (const name of SCRIPTS) put(join(below === "home" ? join(home, ".amplihack") : workspace, STACK, name), "");
  put(join(folder, "hooks/agent-stop"), "");
  const env = { HOME: home, PATH: "/usr/bin:/bin" };
  const settings = (place: string, hooks: object) =>
    put(join(place, ".claude/settings.json"), JSON.stringify({ hooks }));
  /** The names of the hooks that we run. */
  const ours = (isLoaded: boolean) => {
    const start = { flags: [], env, cwd: workspace, workspace, interactive: isLoaded };
    const found = [...findHooks({ workspace, folder }), ...ancestorHooks({ workspace, folder }, env)];
    const kept = withoutAgentEntries(found, claudeOwnHooks(start), { workspace, folder });
    return kept.map(({ name }) => name.replace("amplihack/", ""));
  };
  return { workspace, folder, home, settings, ours };
}

const entry = (command: string, matcher?: string) => [{ matcher, hooks: [{ type: "command", command }] }];

test("a script that the repository's settings start is left to the agent, but not before a tool, nor for some tools", () => {
  const { workspace, settings, ours } = scene("repository");
  settings(workspace, {
    SessionStart: entry(`python3 "$CLAUDE_PROJECT_DIR"/${STACK}/session_start.py`),
    Stop: entry(`"$CLAUDE_PROJECT_DIR"/${STACK}/stop.py --x`),
    PreToolUse: entry(`${STACK}/pre_tool_use.py`, "*"),
    PostToolUse: entry(`${STACK}/post_tool_use.py`, "Bash"),
  });
  expect(ours(true)).toEqual(["agent-stop", "pre_tool_use.py", "post_tool_use.py"]);
  expect(ours(false)).toEqual(["agent-stop", ...ALL]);
});

test("another event and another file are other hooks", () => {
  const { workspace, settings, ours } = scene("repository");
  settings(workspace, {
    SubagentStop: entry(`${STACK}/stop.py`),
    Stop: entry(`${STACK}/stop.py.old; other/session_start.py`),
  });
  expect(ours(true)).toEqual(["agent-stop", ...ALL]);
});

test("the user's hooks are only left to an entry of the user's, which may name the ancestor's program", () => {
  const { workspace, folder, home, settings, ours } = scene("home");
  settings(workspace, {
    Stop: entry(`true ${join(folder, "hooks/agent-stop")} ~/.amplihack/${STACK}/stop.py`),
  });
  expect(ours(true)).toEqual(["agent-stop", ...ALL]);
  settings(home, {
    Stop: entry("~/.cargo/bin/amplihack-hooks stop"),
    SessionStart: entry(`$HOME/.amplihack/${STACK}/session_start.py`),
  });
  expect(ours(false)).toEqual(["agent-stop", "pre_tool_use.py", "post_tool_use.py"]);
});
