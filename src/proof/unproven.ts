import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Agent } from "../agents/pack/agent.ts";
import type { FoundBinary } from "../agents/find-binary.ts";
import { programFingerprint } from "../agents/program-fingerprint.ts";
import { makeFolder } from "../lib/make-folder.ts";
import { EXIT, UserError } from "../lib/user-error.ts";
import { isProvable } from "./offline.ts";
import { type ProofPlaces, type ProofState, proofState } from "./proof-state.ts";

interface RequiredProof extends ProofPlaces {
  readonly unguarded: boolean;
}

/** For `--require-proof`: throws unless the rules are proven to work for this exact program. */
export function requireProof(agent: Agent, binary: FoundBinary, request: RequiredProof): void {
  const refuse = (what: string, fix: string) =>
    new UserError(what, { where: `--require-proof; ${binary.real}`, fix, exitCode: EXIT.refused });
  if (!isProvable(agent.name))
    throw refuse(
      `${agent.title} cannot be guarded: ${agent.unprotected}`,
      "start it without --require-proof; its tool calls will not be guarded",
    );
  if (request.unguarded) throw refuse("--require-proof cannot be combined with --unguarded", "remove --unguarded");
  const known = proofState(agent, binary, request);
  if (known.state !== "proven") throw refuse(sentence(agent, known), `run: signalbox prove ${agent.name}`);
}

/**
 * The warning for starting an unproven program; undefined if it is proven, or if it was already shown today. A failed
 * proof is shown on every start.
 */
export function unprovenLine(agent: Agent, binary: FoundBinary, places: ProofPlaces): string | undefined {
  const known = proofState(agent, binary, places);
  if (known.state === "proven") return undefined;
  const line = `${sentence(agent, known)}; to test it (takes a minute): signalbox prove ${agent.name}`;
  if (known.state === "failed") return line;
  const file = join(places.home, "proofs", `${agent.name}.said`);
  const today = `${programFingerprint(agent, binary)} ${known.state} ${new Date().toISOString().slice(0, 10)}`;
  if (lastShown(file) === today) return undefined;
  try {
    makeFolder(dirname(file));
    writeFileSync(file, today, { mode: 0o600 });
  } catch {
    // The warning is then shown again next time.
  }
  return line;
}

function lastShown(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Describes the state for the user. */
export function sentence(agent: Agent, known: ProofState): string {
  switch (known.state) {
    case "proven":
      return `${agent.title} is proven to obey the rules (${known.date})`;
    case "missing":
      return `this ${agent.title} has not been tested against the rules yet`;
    case "stale":
      return `the proof for ${agent.title} is out of date: ${known.because}`;
    case "failed":
      return `this ${agent.title} does not obey the rules: ${known.guarantees.join(", ")} failed`;
  }
}
