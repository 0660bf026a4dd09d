import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { programFingerprint } from "../agents/find-binary.ts";
import { type BinaryIdentity, identify, UNKNOWN_VERSION } from "../launch/binary-identity.ts";
import { makeFolder } from "../lib/make-folder.ts";
import { sha256 } from "../lib/sha256.ts";
import { guardFiles, guardFingerprint, proofsFolder, writeProof } from "./proof-state.ts";
import { proveAgent } from "./prove-agent.ts";
import { type Candidate, onTrialPlaces, type ProveParts } from "./prove.ts";
import type { AgentReport, Report } from "./report.ts";
import { PROOF_POLICY } from "./trial-place.ts";

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
