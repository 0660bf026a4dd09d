import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { atomicWrite } from "../lib/atomic-write.ts";
import { fileFingerprint } from "../lib/file-fingerprint.ts";
import { isRecord } from "../lib/is-record.ts";
import { makeFolder } from "../lib/make-folder.ts";
import { packageRoot, runsFromSources } from "../lib/package-root.ts";
import { parseJson } from "../lib/parse-json.ts";

/** What was proven about one agent's program on this machine, and for which exact versions. */
export interface Proof {
  readonly agent: string;
  readonly version: string;
  readonly launcherSha256: string;
  /** Empty if there is no other program behind the launcher. */
  readonly nativeSha256: string;
  /** Covers the launcher and the native program, so that a launch need not read them. */
  readonly programFingerprint: string;
  /** The version of signalbox, and the hash of what answers hooks. */
  readonly guard: string;
  readonly guardFingerprint: string;
  readonly policyHash: string;
  readonly date: string;
  readonly guarantees: readonly { readonly id: string; readonly verdict: string; readonly because: string }[];
}

export const proofsFolder = (home: string) => join(home, "proofs");
export const proofFile = (home: string, agent: string) => join(proofsFolder(home), `${agent}.json`);

export function writeProof(home: string, proof: Proof): void {
  const file = proofFile(home, proof.agent);
  makeFolder(dirname(file));
  atomicWrite(file, `${JSON.stringify(proof, null, 1)}\n`);
}

/** An agent's proof; undefined if it is missing or unreadable. */
export function readProof(home: string, agent: string): Proof | undefined {
  try {
    const value: unknown = parseJson(readFileSync(proofFile(home, agent), "utf8"));
    return isProof(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const TEXTS = ["agent", "version", "programFingerprint", "guard", "guardFingerprint", "date"] as const;

function isProof(value: unknown): value is Proof {
  return (
    isRecord(value) &&
    TEXTS.every((name) => typeof value[name] === "string") &&
    Array.isArray(value["guarantees"]) &&
    value["guarantees"].every((entry) => isRecord(entry) && typeof entry["id"] === "string")
  );
}

/** The files that make up the guard: what answers hooks, and what installs them. */
export function guardFiles(): readonly string[] {
  const root = packageRoot();
  if (runsFromSources) return [join(root, "src/hooks/hook.ts")];
  const names = readdirSync(join(root, "dist")).filter((name) => name.endsWith(".cjs"));
  return names.toSorted().map((name) => join(root, "dist", name));
}

/**
 * Changes with the guard. When running from sources, which change all the time, a proof is valid until the version
 * changes.
 */
export function guardFingerprint(version: string): string {
  return runsFromSources ? `${version} sources` : [version, ...guardFiles().map(fileFingerprint)].join(" ");
}
