import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findBinary, type FoundBinary, programFingerprint } from "../agents/find-binary.ts";
import type { Agent } from "../agents/pack/agent.ts";
import { agentNamed, AGENTS } from "../agents/packs.ts";
import type { AgentName } from "../contract/agent.ts";
import { type BinaryIdentity, identify, UNKNOWN_VERSION } from "../launch/binary-identity.ts";
import { makeFolder } from "../lib/files/make-folder.ts";
import { sha256 } from "../lib/json/sha256.ts";
import { EXIT, isUserError, UserError } from "../lib/text/user-error.ts";
import {
  guardFiles,
  guardFingerprint,
  isProvable,
  offlineOf,
  proofsFolder,
  PROVABLE,
  writeProof,
} from "./proof-state.ts";
import { proveAgent, type Proving } from "./prove-agent.ts";
import type { AgentReport, Report } from "./report.ts";
import { openTrialPlace, PROOF_POLICY, type TrialPlace } from "./trial-place.ts";

export interface RecordedParts extends ProveParts {
  /** The user's signalbox folder, where proofs are stored. */
  readonly home: string;
}

/** Tests every agent, stores the results with the hashes of what was tested, and returns them. */
export async function proveAll(candidates: readonly Candidate[], parts: RecordedParts): Promise<Report> {
  // Before the tests, which take minutes, because their results must be stored.
  makeFolder(proofsFolder(parts.home));
  const cache = join(parts.home, "cache");
  const known = await Promise.all(
    candidates.map(async (candidate) => ({
      ...candidate,
      // Taken before the agent runs. If it updates itself in the meantime, the new program is not the one that was
      // tested.
      fingerprint: programFingerprint(candidate.agent, candidate.binary),
      identity: await identify(candidate.agent, candidate.binary, { cache, env: parts.env }),
    })),
  );
  const agents = await onTrialPlaces(candidates, parts, async (stage): Promise<AgentReport> => {
    const tried = known.find(({ name }) => name === stage.name);
    if (tried === undefined) throw new Error("an unexpected agent reported a result");
    const guarantees = await proveAgent(stage, parts);
    // Copilot unpacks itself on its first start in a home and reports no version before that. In this home it has
    // already started.
    const again = { cache: stage.folder, env: stage.environment("http://127.0.0.1") };
    const { identity } = tried;
    const { version } =
      identity.version === UNKNOWN_VERSION ? await identify(stage.agent, stage.binary, again) : identity;
    const report = { agent: stage.name, version, binarySha256: identity.sha256, guarantees };
    // A partial proof proves nothing that a launch could rely on.
    if (parts.only === undefined) keep(report, tried, parts);
    return report;
  });
  return { agents };
}

interface Tried {
  readonly fingerprint: string;
  readonly identity: BinaryIdentity;
}

function keep(report: AgentReport, { fingerprint, identity }: Tried, { home, version }: RecordedParts): void {
  writeProof(home, {
    agent: report.agent,
    version: report.version,
    launcherSha256: identity.sha256,
    nativeSha256: identity.nativeSha256,
    programFingerprint: fingerprint,
    guard: `${version}+${guardHash()}`,
    guardFingerprint: guardFingerprint(version),
    policyHash: sha256(PROOF_POLICY),
    date: new Date().toISOString().slice(0, 10),
    guarantees: report.guarantees,
  });
}

/** The hash of what answers hooks and of what installs them. */
function guardHash(): string {
  const hash = createHash("sha256");
  for (const file of guardFiles()) hash.update(readFileSync(file));
  return hash.digest("hex");
}

/** An installed agent that can be tested. */
export interface Candidate {
  readonly agent: Agent;
  readonly name: AgentName;
  readonly binary: FoundBinary;
}

interface ProveParts extends Proving {
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
  /** Runs the check of a launch. */
  readonly processesFor: TrialPlace["processesFor"];
  readonly sabotage?: TrialPlace["sabotage"] | undefined;
}

const AT_ONCE = 2;

/**
 * Runs `work` for each agent in its own trial place, two at a time. Meanwhile, this process uses the throw-away home
 * too, because rules depend on the home folder, and our helper processes see only that one.
 */
export async function onTrialPlaces<Result>(
  candidates: readonly Candidate[],
  parts: ProveParts,
  work: (stage: TrialPlace) => Promise<Result>,
): Promise<readonly Result[]> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-proof-home-")));
  const before = process.env["HOME"];
  process.env["HOME"] = home;
  const results = new Map<AgentName, Result>();
  const waiting = [...candidates];
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      using stage = openTrialPlace({ ...next, ...parts, home, offline: await offlineOf(next.name) });
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
