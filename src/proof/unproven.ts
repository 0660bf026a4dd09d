import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Agent } from "../agents/pack/agent.ts";
import type { FoundBinary } from "../agents/find-binary.ts";
import { programFingerprint } from "../agents/program-fingerprint.ts";
import { makeFolder } from "../lib/make-folder.ts";
import { EXIT, UserError } from "../lib/user-error.ts";
import { isProvable } from "./offline.ts";
import { type ProofPlaces, type ProofState, proofState } from "./proof-state.ts";

interface Asked extends ProofPlaces {
  readonly unguarded: boolean;
}

/** For `--require-proof`: throws unless the rules are shown to hold for this very program. */
export function requireProof(agent: Agent, binary: FoundBinary, asked: Asked): void {
  const refuse = (what: string, fix: string) =>
    new UserError(what, { where: `--require-proof; ${binary.real}`, fix, exitCode: EXIT.refused });
  if (!isProvable(agent.name))
    throw refuse(
      `${agent.title} cannot be guarded: ${agent.unprotected}`,
      "start it without --require-proof; its tool calls will not be guarded",
    );
  if (asked.unguarded) throw refuse("--require-proof makes no sense with --unguarded", "remove --unguarded");
  const known = proofState(agent, binary, asked);
  if (known.state !== "proven") throw refuse(sentence(agent, known), `type: signalbox prove ${agent.name}`);
}

/** What to say about a start of a program that is not proven; undefined when it is, or when it was said today. A failed one is named at every start. */
export function unprovenLine(agent: Agent, binary: FoundBinary, places: ProofPlaces): string | undefined {
  const known = proofState(agent, binary, places);
  if (known.state === "proven") return undefined;
  const line = `${sentence(agent, known)}; to test it (takes a minute): signalbox prove ${agent.name}`;
  if (known.state === "failed") return line;
  const file = join(places.home, "proofs", `${agent.name}.said`);
  const today = `${programFingerprint(agent, binary)} ${known.state} ${new Date().toISOString().slice(0, 10)}`;
  if (said(file) === today) return undefined;
  try {
    makeFolder(dirname(file));
    writeFileSync(file, today, { mode: 0o600 });
  } catch {
    // It is then said again the next time.
  }
  return line;
}

function said(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** What is known, for a person. */
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
