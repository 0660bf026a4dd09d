import { findBinary } from "../agents/find-binary.ts";
import type { Agent } from "../agents/pack/agent.ts";
import { isUserError } from "../lib/user-error.ts";
import { type ProofPlaces, proofState, sentence } from "../proof/proof-state.ts";
import type { CheckResult } from "./check.ts";

interface Places extends ProofPlaces {
  readonly cwd: string;
  /** Whether a proof can be recorded. Where it cannot, the check of the home says so. */
  readonly canRecord: boolean;
}

/** Whether the rules are proven to work for an agent as currently installed. */
export function checkProof(agent: Agent, env: NodeJS.ProcessEnv, places: Places): CheckResult {
  const id = `proof.${agent.name}`;
  const fix = `run: signalbox prove ${agent.name}`;
  try {
    const known = proofState(agent, findBinary(agent, env, [places.cwd]), places);
    const summary = sentence(agent, known);
    const facts = { state: known.state };
    if (known.state === "failed") return { id, status: "fail", summary, fix, facts };
    if (known.state !== "proven") return { id, status: places.canRecord ? "warn" : "absent", summary, fix, facts };
    const open = known.open.length === 0 ? "" : `; not shown: ${known.open.join(", ")}`;
    return { id, status: "ok", summary: `${summary}${open}` };
  } catch (error) {
    if (!isUserError(error)) throw error;
    return { id, status: "absent", summary: `${agent.title} cannot be tested: ${error.message}`, fix: error.fix };
  }
}
