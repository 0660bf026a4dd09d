import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { trustedHooks } from "../src/agents/codex/verify.ts";
import { startScriptedModel } from "../src/models/scripted/server.ts";
import type { Suite } from "./suite.ts";

const root = join(import.meta.dirname, "..");
const signalbox = join(root, "bin/signalbox");
const pinned = join(root, "test/agents/.install/node_modules/.bin");

type AgentName = "claude" | "codex";
const HOOKS = ["no hook", "empty sh hook, before only", "empty sh hook", "empty node hook", "signalbox"] as const;
type HookKind = (typeof HOOKS)[number];

/**
 * Time of one tool call inside real agents, from the model's answer to the agent's next request: with no hook, with
 * empty hooks before and after each tool, which is where ours stand, and in a guarded launch. All in one run, interleaved.
 */
export const hooks: Suite = async ({ quick }) => {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-bench-")));
  try {
    const rounds = quick ? 2 : 6;
    const turns = quick ? 10 : 25;
    const rows = [];
    for (const agent of ["claude", "codex"] as const) {
      const times = await measure(agent, { place, rounds, turns, parallel: 1 });
      const burst = await measure(agent, { place, rounds, turns: quick ? 2 : 5, parallel: 16 });
      const floor = percentile(times["empty sh hook"], 0.5);
      for (const kind of HOOKS)
        rows.push({
          agent,
          hook: kind,
          p50Ms: percentile(times[kind], 0.5),
          p95Ms: percentile(times[kind], 0.95),
          overShP50Ms: round(percentile(times[kind], 0.5) - floor),
          parallel16P50Ms: percentile(burst[kind], 0.5),
          calls: times[kind].length,
        });
    }
    const added = rows
      .filter(({ hook }) => hook === "signalbox")
      .map(({ agent, overShP50Ms }) => ({ agent, overEmptyShP50Ms: overShP50Ms }));
    return { rows, result: { suite: "hooks", rows, added } };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
};

interface Plan {
  readonly place: string;
  readonly rounds: number;
  readonly turns: number;
  readonly parallel: number;
}

async function measure(agent: AgentName, plan: Plan): Promise<Record<HookKind, number[]>> {
  const times: Record<HookKind, number[]> = {
    "no hook": [],
    "empty sh hook, before only": [],
    "empty sh hook": [],
    "empty node hook": [],
    signalbox: [],
  };
  for (let round = 0; round <= plan.rounds; round++)
    for (const kind of HOOKS) {
      const seen = await oneSession(agent, kind, plan);
      if (round > 0) times[kind].push(...seen);
    }
  return times;
}

/** One session of the agent; the first turn is left out, because the agent is still starting. */
async function oneSession(agent: AgentName, kind: HookKind, { place, turns, parallel }: Plan): Promise<number[]> {
  const calls = Array.from({ length: parallel }, (_, index) => `echo ${index}`);
  const moments: number[] = [];
  await using model = await startScriptedModel({
    script: { turns: [...Array.from({ length: turns }, () => ({ shell: calls })), { text: "done" }] },
    onRequest: () => void moments.push(performance.now()),
  });
  const home = mkdtempSync(join(place, "home-"));
  const cwd = mkdtempSync(join(place, "repo-"));
  execFileSync("git", ["init", "-q", cwd]);
  const { program, args, env } = command(agent, kind, { home, url: model.url });
  const child = spawn(program, args, {
    cwd,
    env: { ...env, HOME: home, TMPDIR: home },
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.stdin.end("go");
  const code = await new Promise((resolve) => child.on("exit", resolve));
  if (code !== 0 || moments.length < turns)
    throw new Error(`${agent} with ${kind} ended with ${String(code)} after ${moments.length} requests`);
  return moments.slice(2).map((moment, index) => moment - (moments[index + 1] ?? moment));
}

interface Started {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

function command(
  agent: AgentName,
  kind: HookKind,
  { home, url }: { readonly home: string; readonly url: string },
): Started {
  const base = { PATH: `${pinned}${delimiter}${process.env["PATH"]}`, TERM: "xterm" };
  const hook = emptyHook(kind, home);
  if (agent === "claude") {
    const env = {
      ...base,
      IS_SANDBOX: "1",
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "sk-fake",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    };
    const flags = ["--dangerously-skip-permissions", "--model", "claude-sonnet-4-5"];
    if (kind === "signalbox")
      return { program: signalbox, args: ["claude", "--prompt-file", "-", "--", ...flags], env };
    const entry = { matcher: "*", hooks: [{ type: "command", command: hook, args: [] }] };
    const after = kind === "empty sh hook, before only" ? {} : { PostToolUse: [entry] };
    const settings = [
      "--settings",
      JSON.stringify(hook === undefined ? {} : { hooks: { PreToolUse: [entry], ...after } }),
    ];
    return { program: join(pinned, "claude"), args: ["-p", ...flags, ...settings], env };
  }
  mkdirSync(join(home, ".codex"));
  writeFileSync(
    join(home, ".codex/config.toml"),
    `model = "fake-model"\nmodel_provider = "fake"\n[model_providers.fake]\nname = "fake"\nbase_url = "${url}/v1"\nenv_key = "FAKE_KEY"\nwire_api = "responses"\n`,
  );
  const env = { ...base, FAKE_KEY: "sk-fake" };
  const flags = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];
  if (kind === "signalbox") return { program: signalbox, args: ["codex", "--prompt-file", "-", "--", ...flags], env };
  const ours = hook === undefined ? [] : trustedHooks(eventsOf(kind).map((event) => ({ event, command: hook })));
  return { program: join(pinned, "codex"), args: ["exec", ...flags, ...ours, "-"], env };
}

const eventsOf = (kind: HookKind) =>
  kind === "empty sh hook, before only" ? (["tool-before"] as const) : (["tool-before", "tool-after"] as const);

function emptyHook(kind: HookKind, home: string): string | undefined {
  if (kind === "no hook" || kind === "signalbox") return undefined;
  const file = join(home, "hook");
  const text = kind !== "empty node hook" ? "#!/bin/sh\ncat >/dev/null\n" : `#!${process.execPath}\n`;
  writeFileSync(file, text, { mode: 0o755 });
  return file;
}

const round = (value: number) => Math.round(value * 10) / 10;

function percentile(times: readonly number[], part: number): number {
  const sorted = times.toSorted((one, other) => one - other);
  return round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN);
}
