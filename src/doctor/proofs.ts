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

/** Unproven agents have one cause and one fix, so they are one warning for people; in `checks` each has its own. */
export function joinUnproven(checks: readonly CheckResult[]): CheckResult | undefined {
  const unproven = checks.filter(isUnproven);
  if (unproven.length < 2) return unproven[0];
  const names = (wanted: readonly CheckResult[]) => wanted.map(({ id }) => id.slice("proof.".length));
  const stale = unproven.filter(({ facts }) => facts?.["state"] === "stale");
  const missing = unproven.filter((check) => !stale.includes(check));
  const summary = [
    ...(missing.length === 0 ? [] : [`not tested against the rules yet: ${names(missing).join(", ")}`]),
    ...(stale.length === 0 ? [] : [`tested, but something has changed since: ${names(stale).join(", ")}`]),
  ].join("; ");
  // Without names every installed agent is tested.
  const isAll = !checks.some(({ id, status }) => id.startsWith("proof.") && (status === "ok" || status === "fail"));
  const words = isAll ? [] : names(unproven);
  return { id: "proof", status: "warn", summary, fix: ["run: signalbox prove", ...words].join(" ") };
}

export const isUnproven = ({ id, status }: CheckResult) => id.startsWith("proof.") && status === "warn";
