import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type FoundBinary, programFingerprint } from "../agents/find-binary.ts";
import type { Agent } from "../agents/pack/agent.ts";
import type { Offline } from "../agents/pack/offline.ts";
import { findPack, PACKS } from "../agents/packs.ts";
import type { AgentName } from "../contract/agent.ts";
import { atomicWrite } from "../lib/files/atomic-write.ts";
import { fileFingerprint } from "../lib/files/file-state.ts";
import { makeFolder } from "../lib/files/make-folder.ts";
import { newerFormat, withUpdate } from "../lib/json/file-format.ts";
import { isRecord } from "../lib/json/json-value.ts";
import { parseJson } from "../lib/json/parse-json.ts";
import { packageFolder, runsFromSources } from "../lib/path/package-folder.ts";
import { EXIT, UserError } from "../lib/text/user-error.ts";
import { MAY_STAY_OPEN, untested } from "./guarantees.ts";

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
  atomicWrite(file, `${JSON.stringify({ format: 1, ...proof }, null, 1)}\n`);
}

/** An agent's proof, or a clause that says that a newer signalbox wrote it; undefined if it is missing or unreadable. */
export function readProof(home: string, agent: string): Proof | string | undefined {
  try {
    const value: unknown = parseJson(readFileSync(proofFile(home, agent), "utf8"));
    // Its `version` is the agent's.
    const newer = newerFormat({ version: isRecord(value) ? value["format"] : undefined });
    if (newer !== undefined) return withUpdate(`it was ${newer}`);
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
  const root = packageFolder();
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

/** What is known about an agent's current program. Every launch checks this, so it reads only one small file. */
type ProofState =
  | { readonly state: "proven"; readonly date: string; readonly open: readonly string[] }
  | { readonly state: "missing" }
  | { readonly state: "stale"; readonly because: string }
  | { readonly state: "failed"; readonly guarantees: readonly string[] };

interface ProofHome {
  /** The user's signalbox folder. */
  readonly home: string;
  /** The version of signalbox. */
  readonly version: string;
}

export function proofState(agent: Agent, binary: FoundBinary, { home, version }: ProofHome): ProofState {
  const proof = readProof(home, agent.name);
  if (proof === undefined) return { state: "missing" };
  if (typeof proof === "string") return { state: "stale", because: proof };
  if (proof.programFingerprint !== programFingerprint(agent, binary))
    return { state: "stale", because: `${agent.title} has changed since ${proof.date}` };
  if (proof.guardFingerprint !== guardFingerprint(version))
    return { state: "stale", because: `signalbox has changed since ${proof.date}` };
  const open = proof.guarantees
    .filter(({ id, verdict }) => verdict === "INCONCLUSIVE" && MAY_STAY_OPEN.includes(id))
    .map(({ id }) => id);
  const failed = proof.guarantees.filter(({ id, verdict }) => verdict !== "PASS" && !open.includes(id));
  if (failed.length > 0) return { state: "failed", guarantees: failed.map((entry) => entry.id) };
  const tried = new Set(proof.guarantees.map((entry) => entry.id));
  const absent = untested(tried);
  if (absent.length > 0)
    return { state: "stale", because: `the proof of ${proof.date} does not cover ${absent.join(", ")}` };
  return { state: "proven", date: proof.date, open };
}

/** For `--require-proof`: throws unless the rules are proven to work for this exact program. */
export function requireProof(
  agent: Agent,
  binary: FoundBinary,
  request: ProofHome & { readonly unguarded: boolean },
): void {
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
export function unprovenLine(agent: Agent, binary: FoundBinary, places: ProofHome): string | undefined {
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

/** The agents that can be tested. */
export const PROVABLE: readonly AgentName[] = PACKS.filter(({ offline }) => offline !== undefined)
  .map(({ program }) => program.name)
  .toSorted();

export const isProvable = (name: string) => PROVABLE.some((known) => known === name);

/** How to run this agent offline. Throws if it cannot be tested. */
export async function offlineOf(name: AgentName): Promise<Offline> {
  const found = await findPack(name)?.offline?.();
  if (found === undefined) throw new Error(`${name} cannot be tested offline`);
  return found;
}

/**
 * The environment variables that make an agent talk only to the model at `url`. Writes the settings it needs into
 * `home`.
 */
export function offlineEnvironment({ provider, settings }: Offline, url: string, home: string): NodeJS.ProcessEnv {
  writeBelow(home, settings?.(url) ?? {});
  return provider(url, home);
}

/** Writes files by their path inside a folder. */
export function writeBelow(folder: string, files: Readonly<Record<string, string>>, mode = 0o666): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { mode });
  }
}
