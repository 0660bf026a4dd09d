import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { trustedHooks } from "../src/agents/codex/verify.ts";

const root = join(import.meta.dirname, "..");
const signalbox = join(root, "bin/signalbox");
export const pinned = join(root, "test/agents/.install/node_modules/.bin");

export type AgentName = "claude" | "codex";

/** What stands around the tool calls of an agent. The last is a guarded launch by SIGNALBOX_BENCH_BESIDE. */
export const HOOKS = [
  "no hook",
  "empty sh hook, before only",
  "empty sh hook",
  "rewritten into bash",
  "empty node hook",
  "signalbox",
  "signalbox, sandbox: off",
  ...(process.env["SIGNALBOX_BENCH_BESIDE"] === undefined ? [] : (["signalbox of the other build"] as const)),
] as const;

export type HookKind = (typeof HOOKS)[number];

interface Started {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** An agent that reads its task on stdin, with `url` as its only model. */
export function agentCommand(
  agent: AgentName,
  kind: HookKind,
  { home, url }: { readonly home: string; readonly url: string },
): Started {
  const base = { PATH: `${pinned}${delimiter}${process.env["PATH"]}`, TERM: "xterm" };
  const hook = simpleHook(kind, home);
  const ours = guardedBy(kind);
  if (kind === "signalbox, sandbox: off") {
    mkdirSync(join(home, ".signalbox"), { recursive: true });
    writeFileSync(join(home, ".signalbox/policy.yaml"), "version: 1\nsandbox: off\n");
  }
  if (agent === "claude") {
    const env = {
      ...base,
      IS_SANDBOX: "1",
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "sk-fake",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    };
    const flags = ["--dangerously-skip-permissions", "--model", "claude-sonnet-4-5"];
    if (ours !== undefined) return { program: ours, args: ["claude", "--prompt-file", "-", "--", ...flags], env };
    const entry = { matcher: "*", hooks: [{ type: "command", command: hook, args: [] }] };
    const after = kind === "empty sh hook, before only" ? {} : { PostToolUse: [entry] };
    const settings = [
      "--settings",
      JSON.stringify(hook === undefined ? {} : { hooks: { PreToolUse: [entry], ...after } }),
    ];
    return { program: join(pinned, "claude"), args: ["-p", ...flags, ...settings], env };
  }
  mkdirSync(join(home, ".codex"), { recursive: true });
  writeFileSync(
    join(home, ".codex/config.toml"),
    `model = "fake-model"\nmodel_provider = "fake"\n[model_providers.fake]\nname = "fake"\nbase_url = "${url}/v1"\nenv_key = "FAKE_KEY"\nwire_api = "responses"\n`,
  );
  const env = { ...base, FAKE_KEY: "sk-fake" };
  const flags = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];
  if (ours !== undefined) return { program: ours, args: ["codex", "--prompt-file", "-", "--", ...flags], env };
  const hooks = hook === undefined ? [] : trustedHooks(eventsOf(kind).map((event) => ({ event, command: hook })));
  return { program: join(pinned, "codex"), args: ["exec", ...flags, ...hooks, "-"], env };
}

const eventsOf = (kind: HookKind) =>
  kind === "empty sh hook, before only" ? (["tool-before"] as const) : (["tool-before", "tool-after"] as const);

/** The program that makes a guarded launch of it. */
function guardedBy(kind: HookKind): string | undefined {
  if (kind === "signalbox of the other build") return process.env["SIGNALBOX_BENCH_BESIDE"];
  return kind.startsWith("signalbox") ? signalbox : undefined;
}

const SCRIPTS: Partial<Record<HookKind, string>> = {
  "empty sh hook, before only": "cat >/dev/null",
  "empty sh hook": "cat >/dev/null",
  "rewritten into bash": `case "$(cat)" in *PreToolUse*) echo '${rewritten()}' ;; esac`,
};

function rewritten(): string {
  const updatedInput = { command: 'bash -c "echo 0"' };
  const hookSpecificOutput = { hookEventName: "PreToolUse", permissionDecision: "allow", updatedInput };
  return JSON.stringify({ hookSpecificOutput });
}

function simpleHook(kind: HookKind, home: string): string | undefined {
  const script = SCRIPTS[kind];
  if (script === undefined && kind !== "empty node hook") return undefined;
  const file = join(home, "hook");
  writeFileSync(file, script === undefined ? `#!${process.execPath}\n` : `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return file;
}
