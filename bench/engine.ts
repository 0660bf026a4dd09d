import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startScriptedModel } from "../src/models/scripted/server.ts";
import { type Contender, contenders } from "./contenders.ts";
import { longSession } from "./long-session.ts";
import { median } from "./measure.ts";
import { watchMemory } from "./peak-memory.ts";
import type { Suite } from "./suite.ts";

/** Each scene is a script of shell calls, and how long the model takes for each answer. */
const SCENES = {
  one: { calls: 0, delayMs: 0 },
  three: { calls: 2, delayMs: 0 },
  slow: { calls: 2, delayMs: 500 },
  fifty: { calls: 50, delayMs: 0 },
} as const;
type Scene = keyof typeof SCENES;
const NAMES = ["one", "three", "slow", "fifty"] as const;

/** Milliseconds of one run, from its start to its exit. */
interface Measured {
  readonly ms: number;
  /** From the start to the first request. */
  readonly request: number;
  /** Between the first request and the second, and the second and the third, without the model's own time. */
  readonly firstTool: number | undefined;
  readonly secondTool: number | undefined;
  /** From the last request to the exit. */
  readonly exit: number;
}

interface Run extends Partial<Measured> {
  readonly agent: string;
  readonly scene: Scene;
  readonly peakMb?: number;
  readonly firstBytes: number;
}

/**
 * The same script through our engine, with and without its sandbox, and every agent that is installed, in turns. The
 * peers run with their sandboxes and permissions off. Then a long session without a wire.
 */
export const engine: Suite = async ({ quick }) => {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-bench-"));
  const rounds = quick ? 3 : 9;
  const runs: Run[] = [];
  try {
    for (const scene of NAMES.slice(0, quick ? 3 : 4)) {
      const entries = contenders(folder);
      for (let round = 0; round <= rounds; round++) {
        // The first round is for the caches and for the memory: watching it takes time from what is watched.
        for (const entry of entries)
          runs.push({ ...(await measured(entry, scene, round === 0)), agent: entry.name, scene });
      }
    }
    const agents = [...new Set(runs.map(({ agent }) => agent))].map((agent) => row(agent, runs));
    const form = existsSync(join(import.meta.dirname, "../dist/signalbox.cjs")) ? "bundle" : "sources";
    const long = await longSession(quick ? 1_000 : 5_000, folder);
    return {
      rows: [...agents, { agent: "engine alone", ...long }],
      result: { suite: "engine", form, rounds, agents, long },
      ratios: ratiosOf(agents),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const PEERS = new Set(["pi", "codex", "claude"]);

/** Of our engine, over the fastest peer or the bare floor. */
function ratiosOf(agents: readonly ReturnType<typeof row>[]): Readonly<Record<string, number>> {
  const ours = agents.find(({ agent }) => agent === "native");
  const floor = agents.find(({ agent }) => agent === "bare floor");
  if (ours === undefined || floor === undefined) return {};
  const peers = agents.filter(({ agent }) => PEERS.has(agent));
  const fastest = (field: "oneMs" | "threeMs") => Math.min(...peers.map((each) => each[field]));
  return {
    ...(peers.length === 0
      ? {}
      : {
          "one turn over the fastest peer": ours.oneMs / fastest("oneMs"),
          "three turns over the fastest peer": ours.threeMs / fastest("threeMs"),
        }),
    "one turn over the floor": ours.oneMs / floor.oneMs,
    "three turns over the floor": ours.threeMs / floor.threeMs,
    "three turns of a slow model over the floor": ours.slowThreeMs / floor.slowThreeMs,
  };
}

/** One run from start to exit in a fresh repository. A run that did not do all its work does not count: it throws. */
async function measured(entry: Contender, scene: Scene, isWatched: boolean): Promise<Omit<Run, "agent" | "scene">> {
  const { calls, delayMs } = SCENES[scene];
  const cwd = mkdtempSync(join(tmpdir(), "signalbox-bench-work-"));
  const moments = new Map<object, number>();
  const turns = Array.from({ length: calls }, (_, n) => ({ shell: `echo ${n} >> lines.txt`, delay_ms: delayMs }));
  try {
    await using model = await startScriptedModel({
      script: { turns: [...turns, { text: "Done.", delay_ms: delayMs }] },
      onRequest: (request) => void moments.set(request, performance.now()),
    });
    execFileSync("git", ["init", "-q", cwd]);
    const { args, env } = entry.startWith(model.url);
    const started = performance.now();
    const child = spawn(entry.program, args, { cwd, env, stdio: ["pipe", "ignore", "ignore"] });
    const memory = isWatched ? watchMemory(child.pid ?? 0) : undefined;
    child.stdin.end("Do what the script says.");
    const code = await new Promise<number | null>((resolve, reject) => child.on("exit", resolve).on("error", reject));
    const ended = performance.now();
    const played = model.requests.filter(({ answered }) => answered === "turn");
    if (code !== 0 || played.length < calls + 1)
      throw new Error(`${entry.name} ended with ${code} after ${played.length} turns`);
    const firstBytes = JSON.stringify(played[0]?.body).length;
    if (memory !== undefined) return { peakMb: memory.peakMb(), firstBytes };
    const at = played.map((request) => moments.get(request) ?? Number.NaN);
    const between = (n: number) =>
      calls < n ? undefined : (at[n] ?? Number.NaN) - (at[n - 1] ?? Number.NaN) - delayMs;
    return {
      firstBytes,
      ms: ended - started - (calls + 1) * delayMs,
      request: (at[0] ?? Number.NaN) - started,
      firstTool: between(1),
      secondTool: between(2),
      exit: ended - (at.at(-1) ?? Number.NaN) - delayMs,
    };
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

function row(agent: string, runs: readonly Run[]) {
  const of = (scene: Scene, field: Exclude<keyof Run, "agent" | "scene">) =>
    median(runs.filter((run) => run.agent === agent && run.scene === scene).flatMap((run) => run[field] ?? []));
  const perTurn = (of("fifty", "ms") - of("three", "ms")) / (SCENES.fifty.calls - SCENES.three.calls);
  return {
    agent,
    oneMs: Math.round(of("one", "ms")),
    threeMs: Math.round(of("three", "ms")),
    toFirstRequestMs: Math.round(of("three", "request")),
    firstToolTurnMs: Math.round(of("three", "firstTool")),
    secondToolTurnMs: Math.round(of("three", "secondTool")),
    lastAnswerToExitMs: Math.round(of("three", "exit")),
    slowThreeMs: Math.round(of("slow", "ms")),
    slowFirstToolTurnMs: Math.round(of("slow", "firstTool")),
    slowExitMs: Math.round(of("slow", "exit")),
    oneExitMs: Math.round(of("one", "exit")),
    perToolTurnMs: Math.round(perTurn * 10) / 10,
    peakMbOne: Math.round(of("one", "peakMb")),
    peakMbThree: Math.round(of("three", "peakMb")),
    firstRequestBytes: of("one", "firstBytes"),
  };
}
