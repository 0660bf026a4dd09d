import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Containment, HELD_PARTS } from "../contract/containment.ts";
import type { Policy } from "../contract/policy.ts";
import { diskError } from "../lib/disk-error.ts";
import { messageOf } from "../lib/message-of.ts";
import { isUserError } from "../lib/user-error.ts";
import { explainFailure } from "./explain-failure.ts";
import { findBubblewrap } from "./find-bubblewrap.ts";
import { helperProgram } from "../lib/helper-program.ts";
import { type NotProven, notProven, OFF } from "./not-proven.ts";
import { type PassedTrial, proofKey, readProof, writeProof } from "./proof-record.ts";
import { proveSeatbelt } from "./prove-seatbelt.ts";
import { readMachine } from "./read-machine.ts";
import { tryOut } from "./sandbox-trial.ts";
import { type SandboxPrograms, startSandbox } from "./session-sandbox.ts";
import { SessionFailure } from "./start-session.ts";

export type Contained = Extract<Containment, { contained: true }>;
export type NotContained = Extract<Containment, { contained: false }>;

export interface ProofParts {
  readonly signalboxHome: string;
  /** Tests pass programs of their own. */
  readonly findBubblewrap?: ((workspace: string) => string | undefined) | undefined;
  readonly findHelper?: (() => string | undefined) | undefined;
  readonly platform?: NodeJS.Platform | undefined;
  /** macOS's `sandbox-exec`. */
  readonly sandboxExec?: string | undefined;
}

export type ProvenPrograms =
  | { readonly containment: Contained; readonly programs: SandboxPrograms }
  | { readonly containment: Contained; readonly sandboxExec: string }
  | { readonly containment: NotContained };

/**
 * Whether the sandbox holds on this machine, and the programs to start it with. A trial that passed is remembered for
 * this bubblewrap, helper, kernel and policy; one that failed is made again, because the user may have repaired it.
 */
export async function proveSandbox(policy: Policy, parts: ProofParts): Promise<ProvenPrograms> {
  const { platform = process.platform } = parts;
  if (platform === "darwin") return await proveSeatbelt(policy, parts);
  if (platform !== "linux") return notProven("bubblewrap only works on Linux", OFF);
  const bubblewrap = (parts.findBubblewrap ?? findBubblewrap)(policy.workspaceRoot);
  if (bubblewrap === undefined) return notProven("bubblewrap (bwrap) is not installed", INSTALL);
  const helper = (parts.findHelper ?? helperProgram)();
  const key = proofKey(policy, [bubblewrap, ...(helper === undefined ? [] : [helper])]);
  const known = readProof(parts.signalboxHome, key);
  if (known !== undefined) return proven(known, bubblewrap, known.usesHelper ? helper : undefined);
  const proof = await prove(policy, parts, { bubblewrap, helper });
  if ("containment" in proof) return proof;
  writeProof(parts.signalboxHome, key, proof);
  return proven(proof, bubblewrap, proof.usesHelper ? helper : undefined);
}

type FoundPrograms = Pick<SandboxPrograms, "bubblewrap" | "helper">;

async function prove(policy: Policy, parts: ProofParts, found: FoundPrograms): Promise<PassedTrial | NotProven> {
  const { bubblewrap, helper } = found;
  if (isSetUid(bubblewrap))
    return notProven(`${bubblewrap} is set-uid root, which signalbox does not use`, `sudo chmod u-s ${bubblewrap}`);
  const version = await versionOf(bubblewrap);
  if (version !== undefined && version < OLDEST)
    return notProven(`bubblewrap is too old (0.${version}, needs 0.${OLDEST})`, INSTALL);
  const closesUserNamespaces = (version ?? 0) >= CLOSES_NAMESPACES;
  const provenAt = new Date().toISOString();
  const withHelper = helper === undefined ? "unusable" : await trial(policy, parts, { ...found, closesUserNamespaces });
  if (withHelper === undefined) return { provenAt, closesUserNamespaces, usesHelper: true };
  if (withHelper !== "unusable") return withHelper;
  const entered = await trial(policy, parts, { bubblewrap, helper: undefined, closesUserNamespaces });
  if (entered === undefined) return { provenAt, closesUserNamespaces, usesHelper: false };
  return entered === "unusable" ? notProven("neither the helper nor nsenter can run here", OFF) : entered;
}

function proven({ provenAt, closesUserNamespaces }: PassedTrial, bubblewrap: string, helper: string | undefined) {
  const by = helper === undefined ? "bubblewrap, entered with nsenter (no system call filter)" : "bubblewrap";
  const containment: Contained = { contained: true, by, held: HELD_PARTS, provenAt };
  return { containment, programs: { bubblewrap, helper, closesUserNamespaces } };
}

/** For a launch that goes wrong after a proof: the reason in words. */
export function notContainedBy(error: SessionFailure): NotContained {
  return { contained: false, ...explainFailure(error.message, readMachine()) };
}

async function trial(
  policy: Policy,
  { signalboxHome }: ProofParts,
  programs: SandboxPrograms,
): Promise<NotProven | "unusable" | undefined> {
  try {
    return await tryOut({
      signalboxHome,
      policy,
      program: programs.bubblewrap,
      held: HELD_PARTS,
      needed: ["inside", "session"],
      start: (trialPolicy, environment) =>
        startSandbox(trialPolicy, { environment, signalboxHome: join(trialPolicy.home, ".signalbox") }, programs),
    });
  } catch (error) {
    // The helper's own folder may forbid programs, or its processor be another one.
    if (error instanceof SessionFailure && /\b(?:EACCES|ENOEXEC|ENOENT)\b/.test(error.message)) return "unusable";
    if (error instanceof SessionFailure) return { containment: notContainedBy(error) };
    const known = isUserError(error) ? error : diskError(error, signalboxHome);
    return notProven(`the sandbox test failed: ${known?.message ?? messageOf(error)}`, known?.fix ?? OFF);
  }
}

const INSTALL =
  "install bubblewrap 0.5 or newer (apt install bubblewrap, dnf install bubblewrap), or set sandbox: off in the policy";

/** Minor versions of bubblewrap 0.x. */
const OLDEST = 5;
const CLOSES_NAMESPACES = 8;

const SET_UID = 0o4000;

const isSetUid = (file: string) => ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & SET_UID ? true : false);

const execute = promisify(execFile);

async function versionOf(bubblewrap: string): Promise<number | undefined> {
  try {
    const { stdout } = await execute(bubblewrap, ["--version"], { env: {}, timeout: 10_000 });
    const [, major, minor] = /(\d+)\.(\d+)/.exec(stdout) ?? [];
    if (major === undefined) return undefined;
    return major === "0" ? Number(minor) : Number.POSITIVE_INFINITY;
  } catch {
    // The trial says what is wrong with it.
    return undefined;
  }
}
