import { findBinary } from "../agents/find-binary.ts";
import type { Agent } from "../agents/pack/agent.ts";
import { isUserError } from "../lib/user-error.ts";
import { type ProofPlaces, proofState, sentence } from "../proof/proof-state.ts";
import type { CheckResult } from "./check.ts";

/** Whether the rules are proven to work for an agent as currently installed. */
export function checkProof(
  agent: Agent,
  env: NodeJS.ProcessEnv,
  places: ProofPlaces & { readonly cwd: string },
): CheckResult {
  const id = `proof.${agent.name}`;
  const fix = `run: signalbox prove ${agent.name}`;
  try {
    const known = proofState(agent, findBinary(agent, env, [places.cwd]), places);
    const summary = sentence(agent, known);
    if (known.state !== "proven") return { id, status: known.state === "failed" ? "fail" : "warn", summary, fix };
    const open = known.open.length === 0 ? "" : `; not shown: ${known.open.join(", ")}`;
    return { id, status: "ok", summary: `${summary}${open}` };
  } catch (error) {
    if (!isUserError(error)) throw error;
    return { id, status: "absent", summary: `${agent.title} cannot be tested: ${error.message}`, fix: error.fix };
  }
}
