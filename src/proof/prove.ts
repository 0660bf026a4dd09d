import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findBinary, programFingerprint } from "../agents/find-binary.ts";
import { agentNamed, AGENTS } from "../agents/packs.ts";
import type { AgentName } from "../contract/agent.ts";
import { identify, UNKNOWN_VERSION } from "../launch/binary-identity.ts";
import { makeFolder } from "../lib/files/make-folder.ts";
import { sha256 } from "../lib/json/sha256.ts";
import { EXIT, isUserError, UserError } from "../lib/text/user-error.ts";
import { FAULT_IDS, GUARANTEE_IDS, type GuaranteeId, PARTLY_IDS, untested, WHOLE_IDS } from "./guarantees.ts";
import { tryAgentFile, tryCalls, tryConversation, tryPatches, tryStopGate, trySubAgent } from "./plan-calls.ts";
import { tryContained, tryNothingLeft, tryPutBack } from "./plan-contained.ts";
import { tryFaults } from "./faults.ts";
import { tryLaunchCheck } from "./plan-launch-check.ts";
import { tryInstructions, trySwitches, tryUntrustedFolder } from "./plan-repository.ts";
import { tryManaged, tryOwnRule } from "./plan-own-rules.ts";
import { guardFiles, guardFingerprint, isProvable, proofsFolder, PROVABLE, writeProof } from "./proof-state.ts";
import type { AgentReport, Report } from "./report.ts";
import { type Candidate, openTrialStage, PROOF_POLICY, type ProveOptions, type TrialStage } from "./trial-stage.ts";
import { type GuaranteeResult, judgeTrials, type Trial } from "./trial.ts";

/**
 * Tests every agent, stores the results in the user's signalbox folder with the hashes of what was tested, and returns
 * them.
 */
export async function proveAll(candidates: readonly Candidate[], home: string, options: ProveOptions): Promise<Report> {
  // Before the tests, which take minutes, because their results must be stored.
  makeFolder(proofsFolder(home));
  const cache = join(home, "cache");
  const known = await Promise.all(
    candidates.map(async (candidate) => ({
      ...candidate,
      // Taken before the agent runs. If it updates itself in the meantime, the new program is not the one that was
      // tested.
      fingerprint: programFingerprint(candidate.agent, candidate.binary),
      identity: await identify(candidate.agent, candidate.binary, { cache, env: options.env }),
    })),
  );
  const agents = await onTrialStages(candidates, options, async (stage): Promise<AgentReport> => {
    const tried = known.find(({ name }) => name === stage.name);
    if (tried === undefined) throw new Error("an unexpected agent reported a result");
    const guarantees = await proveAgent(stage, options);
    // Copilot unpacks itself on its first start in a home and reports no version before that. In this home it has
    // already started.
    const again = { cache: stage.folder, env: stage.environment("http://127.0.0.1") };
    const { identity } = tried;
    const { version } =
      identity.version === UNKNOWN_VERSION ? await identify(stage.agent, stage.binary, again) : identity;
    const report = { agent: stage.name, version, binarySha256: identity.sha256, guarantees };
    // A partial proof proves nothing that a launch could rely on.
    if (options.only === undefined)
      writeProof(home, {
        agent: report.agent,
        version,
        launcherSha256: identity.sha256,
        nativeSha256: identity.nativeSha256,
        programFingerprint: tried.fingerprint,
        guard: `${options.version}+${guardHash()}`,
        guardFingerprint: guardFingerprint(options.version),
        policyHash: sha256(PROOF_POLICY),
        date: new Date().toISOString().slice(0, 10),
        guarantees,
      });
    return report;
  });
  return { agents };
}

/** The hash of what answers hooks and of what installs them. */
function guardHash(): string {
  const hash = createHash("sha256");
  for (const file of guardFiles()) hash.update(readFileSync(file));
  return hash.digest("hex");
}

interface Plan {
  readonly what: string;
  /** The guarantees that this plan tests. */
  readonly ids: readonly GuaranteeId[];
  readonly play: (stage: TrialStage) => Promise<readonly Trial[]>;
}

/** The plans, in order. The quick ones come first, so that a broken guard is found early. */
const PLANS: readonly Plan[] = [
  { what: "calls", ids: ["deny", "parallel"], play: tryCalls },
  { what: "patches", ids: ["patch"], play: tryPatches },
  { what: "a conversation", ids: ["bypass-flag", "prompt-64k", "resume"], play: tryConversation },
  { what: "a sub-agent", ids: ["sub-agent"], play: trySubAgent },
  { what: "a sub-agent of a file", ids: ["agent-file"], play: tryAgentFile },
  { what: "an administrator's settings", ids: ["managed-bypass"], play: tryManaged },
  { what: "a hostile repository", ids: ["untrusted-folder"], play: tryUntrustedFolder },
  { what: "switches", ids: ["repository-switches"], play: trySwitches },
  { what: "instructions", ids: ["instructions"], play: tryInstructions },
  { what: "a refused stop", ids: ["stop-gate"], play: tryStopGate },
  { what: "a check", ids: ["launch-check"], play: tryLaunchCheck },
  { what: "the sandbox", ids: [...WHOLE_IDS, ...PARTLY_IDS], play: tryContained },
  { what: "what is put back", ids: ["partly-restored"], play: tryPutBack },
  { what: "what is left", ids: ["nothing-left"], play: tryNothingLeft },
  { what: "the agent's own rules", ids: ["own-deny-rule", "own-ask-rule"], play: tryOwnRule },
  { what: "faults", ids: FAULT_IDS, play: tryFaults },
];

/** Runs the plans with one agent and judges the guarantees. */
async function proveAgent(
  stage: TrialStage,
  { signal, tell, only }: ProveOptions,
): Promise<readonly GuaranteeResult[]> {
  const wanted = only ?? GUARANTEE_IDS;
  const trials: Trial[] = [];
  const left = () => untested(new Set(trials.map(({ id }) => id)));
  for (const { what, ids, play } of PLANS) {
    if (!ids.some((id) => wanted.includes(id) && left().includes(id))) continue;
    signal.throwIfAborted();
    tell(`${stage.name}: ${what}`);
    trials.push(...(await play(stage)));
  }
  signal.throwIfAborted();
  const isOwn = (id: GuaranteeId) => trials.some((trial) => trial.id === id) || left().includes(id);
  return wanted.filter(isOwn).map((id) => judgeTrials(id, trials));
}

const AT_ONCE = 2;

/**
 * Runs `work` for each agent on its own stage, two at a time. Meanwhile, this process uses the throw-away home
 * too, because rules depend on the home folder, and our helper processes see only that one.
 */
export async function onTrialStages<Result>(
  candidates: readonly Candidate[],
  options: ProveOptions,
  work: (stage: TrialStage) => Promise<Result>,
): Promise<readonly Result[]> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-proof-home-")));
  const before = process.env["HOME"];
  process.env["HOME"] = home;
  const results = new Map<AgentName, Result>();
  const waiting = [...candidates];
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      using stage = await openTrialStage(next, home, options);
      results.set(next.name, await work(stage));
    }
  };
  try {
    const lanes = await Promise.allSettled(Array.from({ length: AT_ONCE }, lane));
    for (const ended of lanes) if (ended.status === "rejected") throw ended.reason;
  } finally {
    if (before === undefined) delete process.env["HOME"];
    else process.env["HOME"] = before;
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
  return candidates.flatMap(({ name }) => {
    const result = results.get(name);
    return result === undefined ? [] : [result];
  });
}

/** The agents to test: the named ones, which must be installed, or all that are installed. */
export function findCandidates(names: readonly string[], env: NodeJS.ProcessEnv, cwd: string): readonly Candidate[] {
  if (names.length > 0) return [...new Set(names)].map((name) => candidate(name, env, cwd));
  const found = AGENTS.filter(({ name }) => isProvable(name)).flatMap(({ name }) => {
    try {
      return [candidate(name, env, cwd)];
    } catch (error) {
      if (isUserError(error) && error.exitCode === EXIT.notFound) return [];
      throw error;
    }
  });
  if (found.length > 0) return found;
  throw new UserError("no supported agent is installed", {
    where: PROVABLE.join(", "),
    fix: "install one of them; signalbox doctor shows where it looked",
    exitCode: EXIT.notFound,
  });
}

function candidate(name: string, env: NodeJS.ProcessEnv, cwd: string): Candidate {
  const agent = agentNamed(name, "signalbox prove");
  if (!isProvable(agent.name))
    throw new UserError(`${agent.title} has no hooks, so there is nothing to test`, {
      where: "signalbox prove",
      fix: `use one of ${PROVABLE.join(", ")}`,
      exitCode: EXIT.refused,
    });
  return { agent, name: agent.name, binary: findBinary(agent, env, [cwd]) };
}
