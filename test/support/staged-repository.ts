import { execFileSync, spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type Outcome, signalbox } from "./run-signalbox.ts";
import { tempFolder } from "./temp-folder.ts";

const SETTINGS = `{
  // What this project does not want.
  "permissions": { "deny": ["Read(./.env)"] }, /* both
  kinds of comments */
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "./lint.sh" }] } // ours since 2024
    ],
    "Stop": [],
  },
}
`;

/** What a project may have before signalbox comes: hooks, comments, settings, odd line ends. */
export const FILES: Readonly<Record<string, string>> = {
  ".claude/settings.json": SETTINGS,
  ".claude/agents/mine.md": "---\nname: mine\ndescription: his\n---\nOld words.\n",
  ".codex/hooks.json": '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"true"}]}]}}',
  ".codex/config.toml": 'model = "x"\n',
  ".github/hooks/other.json": '{"version":1,"hooks":{}}',
  ".github/hooks/pre-tool-use": "#!/bin/sh\n# amplihack's own\necho '{}'\n",
  ".mcp.json": '{\r\n\t"mcpServers": {}\r\n}\r\n',
  "AGENTS.md": "# Agents\r\n\r\nNo line feed at the end",
  "CLAUDE.md": "# Claude\n",
  ".signalbox/agents/reviewer.md":
    '---\nname: reviewer\ndescription: "Reviews: all"\n---\nSay """what""" is \\ wrong.\n',
  ".signalbox/commands/fix.md": "Fix $ARGUMENTS\n",
  ".signalbox/skills/notes/SKILL.md": "---\nname: notes\ndescription: d\n---\n",
  ".signalbox/skills/notes/bin/run": "#!/bin/sh\n",
  ".signalbox/hooks/tool-before-lint": "#!/bin/sh\necho '{}'\n",
  ".signalbox/instructions.md": "Be kind.\n",
  ".signalbox/mcp.json": '{"mcpServers":{"demo":{"command":"demo","args":["a b"],"env":{"K":"v"}}}}',
  ".signalbox/policy.yaml": "version: 1\nextends: default\n",
};

export interface Repository {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly run: (...args: string[]) => Promise<Outcome>;
  readonly read: (path: string) => string;
  readonly write: (path: string, text: string) => void;
  readonly status: () => string;
}

/** A committed repository in a folder with a nasty name. */
export function repository(files: Readonly<Record<string, string>> = FILES): Repository {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox test\'s "x"\n$(id)-')));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const env = { HOME: tempFolder(), PATH: process.env["PATH"] };
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args], { cwd, encoding: "utf8" });
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text, { mode: text.startsWith("#!") ? 0o755 : 0o644 });
  };
  git("init", "-q", "-b", "main");
  git("config", "core.autocrlf", "false");
  for (const [path, text] of Object.entries(files)) write(path, text);
  git("add", "-A");
  git("commit", "-q", "--allow-empty", "-m", "before");
  return {
    cwd,
    env,
    write,
    run: (...args) => signalbox(args, { cwd, env }),
    read: (path) => readFileSync(join(cwd, path), "utf8"),
    status: () => git("status", "--porcelain", "--ignored"),
  };
}

/** Every file with its content and mode, and every folder. */
export function snapshot(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => !name.startsWith(".git/"));
  return Object.fromEntries(
    names.toSorted().map((name) => {
      const stat = statSync(join(folder, name));
      const content = stat.isFile() ? readFileSync(join(folder, name), "latin1") : "folder";
      return [name, `${(stat.mode & 0o777).toString(8)} ${content}`];
    }),
  );
}

/** Calls the wrapper of a tool call as Copilot does: exit code, stdout and stderr. */
export function callWrapper({
  cwd,
  env,
}: {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}): [number | null, string, string] {
  const input = JSON.stringify({ sessionId: "s", cwd, toolName: "bash", toolArgs: { command: "pwd" } });
  const { status, stdout, stderr } = spawnSync(join(cwd, ".github/hooks/pre-tool-use"), {
    cwd,
    env,
    input,
    encoding: "utf8",
  });
  return [status, stdout, stderr];
}
