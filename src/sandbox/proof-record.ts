import { readFileSync, realpathSync, statSync } from "node:fs";
import { release } from "node:os";
import { join } from "node:path";
import type { Policy } from "../contract/policy.ts";
import { policyHash } from "../guard/policy/compiled-policy.ts";
import { atomicWrite } from "../lib/atomic-write.ts";
import { newerFormat } from "../lib/file-format.ts";
import { isRecord } from "../lib/is-record.ts";
import { makeFolder } from "../lib/make-folder.ts";
import { parseJson } from "../lib/parse-json.ts";
import { sha256 } from "../lib/sha256.ts";

/** What is remembered of a trial that passed. */
export interface PassedTrial {
  readonly provenAt: string;
  readonly closesUserNamespaces: boolean;
  readonly usesHelper: boolean;
}

/** Changes with the trial, so that an older one does not count. */
const PROOF_VERSION = 2;
const MAX_PROOFS = 50;

/** What a trial counts for: these programs, this kernel, this user and this policy. */
export function proofKey(policy: Policy, programs: readonly string[]): string {
  const files = programs.map((file) => {
    const { size, mtimeMs, ino } = statSync(realpathSync(file));
    return [file, size, mtimeMs, ino];
  });
  return sha256(JSON.stringify([PROOF_VERSION, files, release(), process.getuid?.(), policyHash(policy)]));
}

const proofFile = (signalboxHome: string) => join(signalboxHome, "sandbox-proof.json");

/** Undefined if a newer signalbox wrote them: they are neither used nor replaced, and each session tries again. */
function readProofs(signalboxHome: string): Record<string, unknown> | undefined {
  try {
    const proofs = parseJson(readFileSync(proofFile(signalboxHome), "utf8"));
    if (!isRecord(proofs)) return {};
    if (newerFormat(proofs) !== undefined) return undefined;
    // Early releases wrote the proofs without a version.
    const { proofs: known = proofs } = proofs;
    return isRecord(known) ? known : {};
  } catch {
    // None yet, or unreadable: the trial is made again.
    return {};
  }
}

export function readProof(signalboxHome: string, key: string): PassedTrial | undefined {
  const proof = readProofs(signalboxHome)?.[key];
  if (!isRecord(proof)) return undefined;
  const { provenAt, closesUserNamespaces, usesHelper } = proof;
  if (typeof provenAt !== "string" || typeof closesUserNamespaces !== "boolean" || typeof usesHelper !== "boolean")
    return undefined;
  return { provenAt, closesUserNamespaces, usesHelper };
}

export function writeProof(signalboxHome: string, key: string, proof: PassedTrial): void {
  makeFolder(signalboxHome);
  const known = readProofs(signalboxHome);
  if (known === undefined) return;
  const others = Object.entries(known).filter(([other]) => other !== key);
  const proofs = Object.fromEntries([...others.slice(1 - MAX_PROOFS), [key, proof]]);
  atomicWrite(proofFile(signalboxHome), `${JSON.stringify({ version: 1, proofs })}\n`);
}
