import { chmodSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findDialect } from "../agents/find-dialect.ts";
import type { AgentName } from "../contract/agent.ts";
import { shQuote } from "../lib/text/shell-words.ts";
import { NOWHERE, tryFaults } from "./faults.ts";
import { FAULT_IDS, type FaultId } from "./guarantees.ts";
import { writeBelow } from "./proof-state.ts";
import type { TrialStage } from "./trial-stage.ts";
import { judgeTrials, playSession, type ScriptStep } from "./trial.ts";

/** What happened to a denied call: it ran, it was blocked, we can't tell, or there is no such fault. */
type Fate = "ran" | "blocked" | "unclear" | "none";

export interface FaultComparison {
  readonly agent: string;
  readonly faults: readonly { readonly id: FaultId; readonly bare: Fate; readonly guarded: Fate }[];
}

/** Tries every fault with one agent, both in a plain hook and in ours. */
export async function compareFaults(stage: TrialStage): Promise<FaultComparison> {
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
async function tryBare(stage: TrialStage): Promise<ReadonlyMap<FaultId, Fate>> {
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

const SECONDS = 2;

/** What registers the program at `path` as the agent's own documentation says, with nothing of ours around it. */
function registerBare({ offline, folder }: TrialStage, path: string) {
  const { files, ...start } = offline.bareHook.register(path, { folder, seconds: SECONDS });
  writeBelow(folder, files ?? {});
  return start;
}

/** A well-written hook. It denies what starts with `no-`, in the agent's own format. */
function healthyHook(name: AgentName): string {
  return `#!/bin/sh\ncase $(cat) in *'touch no-'*) printf '%s\\n' ${shQuote(denial(name))} ;; esac\n`;
}

/** The same hook with each fault that a program can have. */
function faultyHooks(name: AgentName): Readonly<Record<string, string>> {
  const deny = `printf '%s\\n' ${shQuote(denial(name))}`;
  return {
    "fault.exit-1": "#!/bin/sh\nexit 1\n",
    "fault.exit-3": "#!/bin/sh\nexit 3\n",
    "fault.killed": "#!/bin/sh\nkill -9 $$\n",
    "fault.hangs": "#!/bin/sh\nexec sleep 30\n",
    "fault.silent": "#!/bin/sh\nexit 0\n",
    "fault.garbage": "#!/bin/sh\necho 'denied, I think'\n",
    "fault.two-objects": `#!/bin/sh\n${deny}\n${deny}\n`,
    "fault.no-interpreter": `#!${NOWHERE}\n${deny}\n`,
    "fault.10-mb": "#!/bin/sh\nhead -c 10485760 /dev/zero | tr '\\0' x\n",
  };
}

const denial = (name: AgentName) =>
  JSON.stringify(findDialect(name).write("tool-before", { verdict: "deny", because: "this file may not be written" }));
