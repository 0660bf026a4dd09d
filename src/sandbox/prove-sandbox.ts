import { execFile } from "node:child_process";
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import { type Containment, HELD_PARTS } from "../contract/agent-call.ts";
import type { Policy } from "../contract/policy.ts";
import { helperProgram } from "../lib/path/package-folder.ts";
import { isRecord } from "../lib/json/json-value.ts";
import { isInside } from "../lib/path/inside.ts";
import { diskError, isUserError, messageOf } from "../lib/text/user-error.ts";
import { explainFailure, readMachine } from "./explain-failure.ts";
import { ChangedMounts } from "./linux/check-mounts.ts";
import { type SandboxPrograms, startSandbox } from "./linux/session-sandbox.ts";
import { SessionFailure } from "./linux/start-session.ts";
import { SEATBELT_HELD } from "./macos/seatbelt-profile.ts";
import { startSeatbelt } from "./macos/seatbelt-session.ts";
import {
  type NotProven,
  notProven,
  OFF,
  type PassedTrial,
  type ProofParts,
  proofKey,
  readProof,
  tryOut,
  writeProof,
} from "./sandbox-trial.ts";
import { weakerForm } from "./weaker-form.ts";

export type Contained = Extract<Containment, { contained: true }>;

export type NotContained = Extract<Containment, { contained: false }>;

type ProvenPrograms =
  | { readonly containment: Contained; readonly programs: SandboxPrograms }
  | { readonly containment: Contained; readonly sandboxExec: string }
  | { readonly containment: NotContained };

/**
 * Whether the sandbox holds on this machine, and the programs to start it with. A trial that passed is remembered for
 * what it reads (`proofKey`); one that failed is made again, because the user may have repaired it.
 */
export async function proveSandbox(policy: Policy, parts: ProofParts): Promise<ProvenPrograms> {
  const { platform = process.platform } = parts;
  if (platform === "darwin") return await proveSeatbelt(policy, parts);
  if (platform !== "linux") return notProven("bubblewrap only works on Linux", OFF);
  const weaker = weakerForm(policy, parts);
  const whole = await proveBubblewrap(policy, parts, weaker.isKnown());
  return whole.containment.contained ? whole : await weaker.prove(whole.containment);
}

/** `isWeakerKnown`: whether it starts at all is enough to know that the weaker form is still needed. */
async function proveBubblewrap(policy: Policy, parts: ProofParts, isWeakerKnown = false): Promise<ProvenPrograms> {
  const bubblewrap = (parts.findBubblewrap ?? findBubblewrap)(policy.workspaceRoot);
  if (bubblewrap === undefined) return notProven("bubblewrap (bwrap) is not installed", INSTALL);
  const helper = (parts.findHelper ?? helperProgram)();
  const key = proofKey(policy, [bubblewrap, ...(helper === undefined ? [] : [helper])]);
  const known = parts.isAgain === true ? undefined : readProof(parts.signalboxHome, key);
  if (known !== undefined) return proven(known, bubblewrap, known.usesHelper ? helper : undefined);
  const refusal = isWeakerKnown && known === undefined ? await refusalOf(bubblewrap) : undefined;
  if (refusal !== undefined) return { containment: notContainedBy(refusal) };
  const proof = await prove(policy, parts, { bubblewrap, helper });
  if ("containment" in proof) return proof;
  writeProof(parts.signalboxHome, key, proof);
  return proven(proof, bubblewrap, proof.usesHelper ? helper : undefined);
}

/** What bubblewrap says where it does not start at all. */
export async function refusalOf(bubblewrap: string): Promise<string | undefined> {
  const words = "--unshare-user --unshare-pid --unshare-net --ro-bind / / --proc /proc -- /bin/true".split(" ");
  try {
    await execute(bubblewrap, words, { env: {}, timeout: 10_000 });
    return undefined;
  } catch (error) {
    return isRecord(error) && typeof error["stderr"] === "string" ? error["stderr"] : messageOf(error);
  }
}

/** Both forms, whatever the policy takes. */
export async function proveForms(policy: Policy, parts: ProofParts) {
  const { containment } = await proveBubblewrap(policy, parts);
  const { isTaken, tryIt } = weakerForm(policy, parts);
  const weaker = await tryIt();
  return {
    bubblewrap: containment.contained ? undefined : containment,
    landlock: "containment" in weaker ? weaker.containment : undefined,
    takesLandlock: isTaken,
  };
}

interface FoundPrograms extends Pick<SandboxPrograms, "helper"> {
  readonly bubblewrap: string;
}

async function prove(policy: Policy, parts: ProofParts, found: FoundPrograms): Promise<PassedTrial | NotProven> {
  const { bubblewrap, helper } = found;
  if (isSetUid(bubblewrap))
    return notProven(`${bubblewrap} is set-uid root, which signalbox does not use`, `sudo chmod u-s ${bubblewrap}`);
  const version = await versionOf(bubblewrap);
  if (version !== undefined && version < OLDEST)
    return notProven(`bubblewrap is too old (0.${version}, needs 0.${OLDEST})`, INSTALL);
  const closesUserNamespaces = (version ?? 0) >= CLOSES_NAMESPACES;
  const provenAt = new Date().toISOString();
  const withHelper =
    helper === undefined ? "unusable" : await tryBubblewrap(policy, parts, { ...found, closesUserNamespaces });
  if (withHelper === undefined) return { provenAt, closesUserNamespaces, usesHelper: true };
  if (withHelper !== "unusable") return withHelper;
  const entered = await tryBubblewrap(policy, parts, { bubblewrap, helper: undefined, closesUserNamespaces });
  if (entered === undefined) return { provenAt, closesUserNamespaces, usesHelper: false };
  return entered === "unusable" ? notProven("neither the helper nor nsenter can run here", OFF) : entered;
}

function proven({ provenAt, closesUserNamespaces }: PassedTrial, bubblewrap: string, helper: string | undefined) {
  const by = helper === undefined ? "bubblewrap, entered with nsenter (no system call filter)" : "bubblewrap";
  const containment: Contained = { contained: true, form: "bubblewrap", by, held: HELD_PARTS, provenAt };
  return { containment, programs: { bubblewrap, helper, closesUserNamespaces } };
}

/** Why the trial does not start here, in words. */
const notContainedBy = (said: string): NotContained => ({
  contained: false,
  ...explainFailure(said, readMachine()),
});

async function tryBubblewrap(
  policy: Policy,
  { signalboxHome }: ProofParts,
  programs: SandboxPrograms & FoundPrograms,
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
    if (error instanceof SessionFailure) return { containment: notContainedBy(error.message) };
    if (error instanceof ChangedMounts)
      return notProven(`${programs.bubblewrap} does not mount ${error.where ?? ""} as it was told`, OFF);
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
async function proveSeatbelt(policy: Policy, parts: SeatbeltParts): Promise<ProvenSeatbelt> {
  const { signalboxHome, sandboxExec = SANDBOX_EXEC } = parts;
  if (!isExecutable(sandboxExec)) return notProven(`${sandboxExec} is missing, which is a part of macOS`, OFF);
  const key = proofKey(policy, [sandboxExec]);
  const proof = readProof(signalboxHome, key) ?? (await trySeatbelt(policy, signalboxHome, sandboxExec));
  if ("containment" in proof) return proof;
  writeProof(signalboxHome, key, proof);
  const { provenAt } = proof;
  return {
    containment: { contained: true, form: "seatbelt", by: "seatbelt", held: SEATBELT_HELD, provenAt },
    sandboxExec,
  };
}

async function trySeatbelt(policy: Policy, signalboxHome: string, sandboxExec: string) {
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

/** Where systems install it. Some grant user namespaces only to the program at the first of these paths. */
const SYSTEM_PLACES = ["/usr/bin", "/usr/local/bin", "/bin"];

const WRITABLE_BY_OTHERS = 0o022;

/**
 * This machine's bubblewrap program, or undefined. Never one inside `workspace` or one that other users could replace.
 */
export function findBubblewrap(workspace: string, path = process.env["PATH"] ?? ""): string | undefined {
  const folders = [...SYSTEM_PLACES, ...path.split(delimiter).filter(isAbsolute)];
  return folders.map((folder) => join(folder, "bwrap")).find((file) => isTrusted(file, workspace));
}

function isTrusted(file: string, workspace: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    const real = realpathSync(file);
    const stat = statSync(real);
    return stat.isFile() && (stat.mode & WRITABLE_BY_OTHERS) === 0 && !isInside(real, workspace);
  } catch {
    return false;
  }
}
