import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ScriptedModel, startScriptedModel } from "../src/models/scripted/server.ts";
import { type Contender, contenders } from "./contenders.ts";
import { longSession } from "./long-session.ts";
import { watchMemory } from "./peak-memory.ts";
import type { Suite } from "./suite.ts";

/** Names of the scenes, and how many shell calls each has. */
const CALLS = { one: 0, three: 2, fifty: 50 } as const;
type Scene = keyof typeof CALLS;
const SCENES = ["one", "three", "fifty"] as const;

interface Run {
  readonly agent: string;
  readonly scene: Scene;
  readonly ms?: number;
  readonly peakMb?: number;
  readonly firstBytes: number;
}

/** The same script through our engine and every agent that is installed, in turns; then a long session without a wire. */
export const engine: Suite = async ({ quick }) => {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-bench-"));
  const rounds = quick ? 3 : 9;
  const runs: Run[] = [];
  try {
    for (const scene of SCENES) {
      const calls = CALLS[scene];
      await using model = await startScriptedModel({ script: { turns: [...shellTurns(calls), { text: "Done." }] } });
      const entries = contenders(model.url, folder);
      for (let round = 0; round <= rounds; round++) {
        // The first round is for the caches and for the memory: watching it takes time from what is watched.
        for (const entry of entries) {
          const run = await measured(entry, { model, calls, watched: round === 0 });
          runs.push({ ...run, agent: entry.name, scene });
        }
      }
    }
    const agents = [...new Set(runs.map(({ agent }) => agent))].map((agent) => row(agent, runs));
    const form = existsSync(join(import.meta.dirname, "../dist/signalbox.cjs")) ? "bundle" : "sources";
    const long = await longSession(quick ? 1_000 : 5_000, folder);
    return {
      rows: [...agents, { agent: "engine alone", ...long }],
      result: { suite: "engine", form, rounds, agents, long },
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const shellTurns = (count: number) => Array.from({ length: count }, (_, n) => ({ shell: `echo ${n} >> lines.txt` }));

interface Measuring {
  readonly model: ScriptedModel;
  readonly calls: number;
  readonly watched: boolean;
}

/** One run from start to exit in a fresh repository. A run that did not do all its work does not count: it throws. */
async function measured(entry: Contender, { model, calls, watched }: Measuring): Promise<Omit<Run, "agent" | "scene">> {
  const cwd = mkdtempSync(join(tmpdir(), "signalbox-bench-work-"));
  try {
    execFileSync("git", ["init", "-q", cwd]);
    const before = model.requests.length;
    const started = performance.now();
    const child = spawn(entry.program, entry.args, { cwd, env: entry.env, stdio: ["pipe", "ignore", "ignore"] });
    const memory = watched ? watchMemory(child.pid ?? 0) : undefined;
    child.stdin.end("Do what the script says.");
    const code = await new Promise<number | null>((resolve, reject) => child.on("exit", resolve).on("error", reject));
    const ms = performance.now() - started;
    const asked = model.requests.slice(before);
    const played = asked.filter(({ answered }) => answered === "turn").length;
    if (code !== 0 || played < calls + 1) throw new Error(`${entry.name} ended with ${code} after ${played} turns`);
    const firstBytes = JSON.stringify(asked[0]?.body).length;
    return memory === undefined ? { ms, firstBytes } : { peakMb: memory.peakMb(), firstBytes };
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

function row(agent: string, runs: readonly Run[]) {
  const of = (scene: Scene, field: "ms" | "peakMb" | "firstBytes") =>
    median(runs.filter((run) => run.agent === agent && run.scene === scene).flatMap((run) => run[field] ?? []));
  const one = of("one", "ms");
  const three = of("three", "ms");
  const fifty = of("fifty", "ms");
  // The first call opens what the others use, so it is a number of its own.
  const perToolTurn = (fifty - three) / (CALLS.fifty - CALLS.three);
  return {
    agent,
    oneMs: Math.round(one),
    threeMs: Math.round(three),
    fiftyMs: Math.round(fifty),
    perToolTurnMs: Math.round(perToolTurn * 10) / 10,
    firstToolTurnMs: Math.round(three - one - (CALLS.three - 1) * perToolTurn),
    peakMbOne: Math.round(of("one", "peakMb")),
    peakMbFifty: Math.round(of("fifty", "peakMb")),
    firstRequestBytes: of("one", "firstBytes"),
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
