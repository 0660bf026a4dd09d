import type { Agent } from "../agents/pack/agent.ts";
import type { FoundBinary } from "../agents/find-binary.ts";
import { programFingerprint } from "../agents/program-fingerprint.ts";
import { GUARANTEE_IDS, MAY_STAY_OPEN } from "./guarantees.ts";
import { guardFingerprint, type Proof, readProof } from "./proof-file.ts";

/** What is known about an agent's current program. Every launch checks this, so it reads only one small file. */
export type ProofState =
  | { readonly state: "proven"; readonly date: string; readonly open: readonly string[] }
  | { readonly state: "missing" }
  | { readonly state: "stale"; readonly because: string }
  | { readonly state: "failed"; readonly guarantees: readonly string[] };

export interface ProofPlaces {
  /** The user's signalbox folder. */
  readonly home: string;
  /** The version of signalbox. */
  readonly version: string;
}

export function proofState(agent: Agent, binary: FoundBinary, { home, version }: ProofPlaces): ProofState {
  const proof = readProof(home, agent.name);
  if (proof === undefined) return { state: "missing" };
  if (proof.programFingerprint !== programFingerprint(agent, binary))
    return { state: "stale", because: `${agent.title} has changed since ${proof.date}` };
  if (proof.guardFingerprint !== guardFingerprint(version))
    return { state: "stale", because: `signalbox has changed since ${proof.date}` };
  const open = proof.guarantees.filter((entry) => mayStayOpen(agent, entry)).map((entry) => entry.id);
  const failed = proof.guarantees.filter(({ id, verdict }) => verdict !== "PASS" && !open.includes(id));
  if (failed.length > 0) return { state: "failed", guarantees: failed.map((entry) => entry.id) };
  const tried = new Set(proof.guarantees.map((entry) => entry.id));
  const absent = GUARANTEE_IDS.filter((id) => !tried.has(id));
  if (absent.length > 0)
    return { state: "stale", because: `the proof of ${proof.date} does not cover ${absent.join(", ")}` };
  return { state: "proven", date: proof.date, open };
}

const mayStayOpen = (agent: Agent, { id, verdict }: Proof["guarantees"][number]) =>
  verdict === "INCONCLUSIVE" && Object.hasOwn(MAY_STAY_OPEN, `${agent.name} ${id}`);
