import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import type { Containment } from "../contract/containment.ts";
import type { Policy } from "../contract/policy.ts";
import { messageOf } from "../lib/message-of.ts";
import { isUserError } from "../lib/user-error.ts";
import { type NotProven, notProven, OFF } from "./not-proven.ts";
import { type PassedTrial, proofKey, readProof, writeProof } from "./proof-record.ts";
import { tryOut } from "./sandbox-trial.ts";
import { SEATBELT_HELD } from "./seatbelt.ts";
import { startSeatbelt } from "./seatbelt-session.ts";

/** The program comes from macOS itself, whatever PATH says. */
const SANDBOX_EXEC = "/usr/bin/sandbox-exec";

interface SeatbeltParts {
  readonly signalboxHome: string;
  readonly sandboxExec?: string | undefined;
}

type ProvenSeatbelt =
  | { readonly containment: Extract<Containment, { contained: true }>; readonly sandboxExec: string }
  | NotProven;

/** Whether Seatbelt holds what its profile says on this machine, by the same trial as on Linux. */
export async function proveSeatbelt(policy: Policy, parts: SeatbeltParts): Promise<ProvenSeatbelt> {
  const { signalboxHome, sandboxExec = SANDBOX_EXEC } = parts;
  if (!isExecutable(sandboxExec)) return notProven(`${sandboxExec} is missing, which is a part of macOS`, OFF);
  const key = proofKey(policy, [sandboxExec]);
  const proof = readProof(signalboxHome, key) ?? (await trial(policy, signalboxHome, sandboxExec));
  if ("containment" in proof) return proof;
  writeProof(signalboxHome, key, proof);
  const { provenAt } = proof;
  return { containment: { contained: true, by: "seatbelt", held: SEATBELT_HELD, provenAt }, sandboxExec };
}

async function trial(policy: Policy, signalboxHome: string, sandboxExec: string) {
  const provenAt = new Date().toISOString();
  try {
    const fault = await tryOut({
      signalboxHome,
      policy,
      program: sandboxExec,
      held: SEATBELT_HELD,
      // A command may not be able to signal an earlier one: each has a sandbox of its own.
      needed: ["inside", "temporary"],
      start: (trialPolicy, environment) =>
        startSeatbelt(trialPolicy, { environment, signalboxHome: join(trialPolicy.home, ".signalbox") }, sandboxExec),
    });
    return fault ?? ({ provenAt, closesUserNamespaces: false, usesHelper: false } satisfies PassedTrial);
  } catch (error) {
    return isUserError(error)
      ? notProven(error.message, error.fix)
      : notProven(`the sandbox test failed: ${messageOf(error)}`, OFF);
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
