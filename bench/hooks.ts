import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startScriptedModel } from "../src/models/scripted/server.ts";
import { type AgentName, agentCommand, type HookKind, HOOKS } from "./hooked-agent.ts";
import type { Suite } from "./suite.ts";

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
      const floor = percentile(times("empty sh hook"), 0.5);
      for (const kind of HOOKS)
        rows.push({
          agent,
          hook: kind,
          p50Ms: percentile(times(kind), 0.5),
          p95Ms: percentile(times(kind), 0.95),
          overShP50Ms: round(percentile(times(kind), 0.5) - floor),
          parallel16P50Ms: percentile(burst(kind), 0.5),
          calls: times(kind).length,
        });
    }
    const added = rows
      .filter(({ hook }) => hook === "signalbox")
      .map(({ agent, overShP50Ms }) => ({ agent, overEmptyShP50Ms: overShP50Ms }));
    const ratios = rows
      .filter(({ hook }) => hook === "signalbox")
      .map(({ agent, p50Ms, overShP50Ms }) => [`${agent}, a call over empty sh hooks`, p50Ms / (p50Ms - overShP50Ms)]);
    return { rows, result: { suite: "hooks", rows, added }, ratios: Object.fromEntries(ratios) };
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

async function measure(agent: AgentName, plan: Plan): Promise<(kind: HookKind) => readonly number[]> {
  const times = new Map<HookKind, number[]>();
  for (let round = 0; round <= plan.rounds; round++)
    for (const kind of HOOKS) {
      const seen = await oneSession(agent, kind, plan);
      if (round > 0) times.set(kind, [...(times.get(kind) ?? []), ...seen]);
    }
  return (kind) => times.get(kind) ?? [];
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
  const { program, args, env } = agentCommand(agent, kind, { home, url: model.url });
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

const round = (value: number) => Math.round(value * 10) / 10;

function percentile(times: readonly number[], part: number): number {
  const sorted = times.toSorted((one, other) => one - other);
  return round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN);
}
