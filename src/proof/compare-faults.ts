import { chmodSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { faultyHooks, healthyHook, registerBare } from "./bare-hook.ts";
import { FAULT_IDS, type FaultId } from "./guarantees.ts";
import { tryFaults } from "./plan-faults.ts";
import { playSession, type ScriptStep } from "./session.ts";
import type { TrialPlace } from "./trial-place.ts";
import { judgeTrials } from "./trial.ts";

/** What happened to a denied call: it ran, it was blocked, we can't tell, or there is no such fault. */
type Fate = "ran" | "blocked" | "unclear" | "none";

export interface FaultComparison {
  readonly agent: string;
  readonly faults: readonly { readonly id: FaultId; readonly bare: Fate; readonly guarded: Fate }[];
}

/** Tries every fault with one agent, both in a plain hook and in ours. */
export async function compareFaults(stage: TrialPlace): Promise<FaultComparison> {
  const bare = await tryBare(stage);
  const trials = await tryFaults(stage);
  const guarded = (id: FaultId): Fate => {
    const { verdict } = judgeTrials(id, trials);
    if (verdict === "PASS") return "blocked";
    return trials.some((trial) => trial.id === id && trial.ran.length > 0) ? "ran" : "unclear";
  };
  return {
    agent: stage.name,
    faults: FAULT_IDS.map((id) => ({ id, bare: bare.get(id) ?? "none", guarded: guarded(id) })),
  };
}

/** One session with a plain hook. After each fault, the healthy hook denies one call and allows another. */
async function tryBare(stage: TrialPlace): Promise<ReadonlyMap<FaultId, Fate>> {
  const hook = join(stage.folder, "bare-hook");
  const put = (text: string, mode = 0o755) => {
    writeFileSync(`${hook}.new`, text);
    chmodSync(`${hook}.new`, mode);
    renameSync(`${hook}.new`, hook);
  };
  const faulty = faultyHooks(stage.name);
  const faults: readonly (readonly [FaultId, () => void])[] = FAULT_IDS.flatMap((id) => {
    const text = faulty[id];
    if (text !== undefined) return [[id, () => put(text)] as const];
    if (id === "fault.missing") return [[id, () => rmSync(hook)] as const];
    return id === "fault.not-executable" ? [[id, () => put(healthyHook(stage.name), 0o600)] as const] : [];
  });
  put(healthyHook(stage.name));
  const { flags, env } = registerBare(stage, hook);
  const session = await playSession(stage, {
    steps: [...faults.flatMap(([id, act]) => stepsOf(id, act, () => put(healthyHook(stage.name)))), END],
    flags: [...stage.offline.unattended, ...flags],
    env,
    repository: stage.repository(),
    unguarded: true,
  });
  const fate = (id: FaultId): Fate => {
    const { control, denied, faulted } = filesOf(id);
    if (session.exists(denied) || !session.exists(control)) return "unclear";
    return session.exists(faulted) ? "ran" : "blocked";
  };
  return new Map(faults.map(([id]) => [id, fate(id)]));
}

const END: ScriptStep = { turn: { text: "Everything has been tried." } };

const filesOf = (id: FaultId) => ({ control: `ok-${id}`, denied: `no-healthy-${id}`, faulted: `no-${id}` });

function stepsOf(id: FaultId, act: () => void, heal: () => void): readonly ScriptStep[] {
  const { control, denied, faulted } = filesOf(id);
  return [
    { before: act, turn: { shell: `touch ${faulted}` } },
    { before: heal, turn: { shell: [`touch ${control}`, `touch ${denied}`] } },
  ];
}
