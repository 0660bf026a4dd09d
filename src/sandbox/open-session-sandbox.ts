import { realpathSync } from "node:fs";
import type { Containment, ContainmentForm } from "../contract/agent-call.ts";
import type { Policy } from "../contract/policy.ts";
import { isInside } from "../lib/path/inside.ts";
import { printableLine } from "../lib/text/printable.ts";
import { shQuote } from "../lib/text/shell-words.ts";
import { EXIT, isUserError, messageOf, UserError } from "../lib/text/user-error.ts";
import { type Contained, type NotContained, proveForms, proveSandbox, refusalOf } from "./prove-sandbox.ts";
import type { ProofParts } from "./sandbox-trial.ts";
import { startSeatbelt } from "./macos/seatbelt-session.ts";
import {
  type RunningSandbox,
  type SandboxPrograms,
  startSandbox,
  type StartParts,
  unmountedView,
} from "./linux/session-sandbox.ts";
import { planSession, refuseWideRoots, type SessionView } from "./session/session-plan.ts";
import { ChangedMounts } from "./linux/check-mounts.ts";
import { SessionFailure } from "./linux/start-session.ts";

/** A sandbox that was proven on this machine and runs. Dispose it to end everything inside. */
export interface SessionSandbox extends RunningSandbox {
  readonly contained: true;
  readonly containment: Contained;
  /** Our helper takes the commands, which also works from inside another sandbox; nsenter does not. */
  readonly usesHelper: boolean;
}

/** There is none, and why. Under `auto` the session goes on without; `workspace` and `strict` have to refuse. */
export interface NoSandbox extends AsyncDisposable {
  readonly contained: false;
  readonly containment: NotContained;
}

export type SandboxParts = StartParts & ProofParts;

/**
 * Opens the one sandbox of a session, as the policy asks: `auto` and `workspace` alike. The first call on a machine
 * makes the trial; later ones take what it found. Throws a UserError if the machine can, but this workspace cannot be
 * protected; then nothing may go on without.
 */
export async function openSessionSandbox(policy: Policy, parts: SandboxParts): Promise<SessionSandbox | NoSandbox> {
  if (policy.sandbox === "off") return none(SWITCHED_OFF);
  const proof = await proveFor(policy, parts);
  if (!isProven(proof)) return none(proof.containment);
  try {
    return await opened(policy, parts, proof);
  } catch (error) {
    if (!(error instanceof SessionFailure)) throw refused(error, policy.workspaceRoot);
    // Either this machine has changed since the trial, or the workspace keeps the sandbox from starting.
    const again = await proveSandbox(policy, { ...parts, isAgain: true });
    if (!isProven(again)) return none(again.containment);
    if (again.containment.form === proof.containment.form) throw unstartable(error, policy.workspaceRoot);
    return await opened(policy, parts, again);
  }
}

type Proof = Awaited<ReturnType<typeof proveSandbox>>;
type Proven = Exclude<Proof, { readonly containment: NotContained }>;

const isProven = (proof: Proof): proof is Proven => "programs" in proof || "sandboxExec" in proof;

async function opened(policy: Policy, parts: SandboxParts, proof: Proven): Promise<SessionSandbox> {
  const { containment } = proof;
  if ("sandboxExec" in proof) {
    const sandbox = await startSeatbelt(policy, parts, proof.sandboxExec);
    return { ...sandbox, contained: true, containment, usesHelper: false };
  }
  const sandbox = await startTwice(policy, parts, proof.programs);
  return { ...sandbox, contained: true, containment, usesHelper: proof.programs.helper !== undefined };
}

/** The sandbox that a session started here would have, and its view of the disk. */
export interface SandboxHere {
  readonly containment: Containment;
  /** Undefined where there is none. */
  readonly plan?: SessionView | undefined;
  /** Whether commands start through our helper; only then all limits hold. */
  readonly usesHelper?: boolean;
}

/**
 * What `openSessionSandbox` would find, without opening it. The trial is made where it is not remembered. Throws what a
 * session would be refused with.
 */
export async function sandboxHere(
  policy: Policy,
  parts: ProofParts & Pick<StartParts, "environment">,
): Promise<SandboxHere> {
  if (policy.sandbox === "off") return { containment: SWITCHED_OFF };
  const known = await proveFor(policy, parts);
  const proof = (await isRefusedNow(known)) ? await proveFor(policy, { ...parts, isAgain: true }) : known;
  const { containment } = proof;
  if (!containment.contained) return { containment };
  const { signalboxHome, environment } = parts;
  const privateHome = policy.sandbox === "strict" ? undefined : signalboxHome;
  try {
    const plan = planSession(policy, { signalboxHome, privateHome, path: environment["PATH"] ?? "" });
    const { helper, bubblewrap } = "programs" in proof ? proof.programs : {};
    const isUnmounted = helper !== undefined && bubblewrap === undefined;
    return { containment, plan: isUnmounted ? unmountedView(plan) : plan, usesHelper: helper !== undefined };
  } catch (error) {
    throw refused(error, policy.workspaceRoot);
  }
}

/** A remembered trial does not show that user namespaces are refused by now. A session finds out when it starts. */
async function isRefusedNow(proof: Proof): Promise<boolean> {
  const bubblewrap = "programs" in proof ? proof.programs.bubblewrap : undefined;
  return bubblewrap !== undefined && (await refusalOf(bubblewrap)) !== undefined;
}

/** One form of the sandbox: whether it works here, and otherwise what refuses it. */
export interface FormHere {
  readonly form: ContainmentForm;
  readonly works: boolean;
  /** The policy would use it, if nothing better works. */
  readonly taken: boolean;
  readonly because: string | undefined;
  readonly fix: string | undefined;
}

/** Each form that this system could have, the best first, whatever the policy takes. Makes the trials again. */
export async function formsHere(policy: Policy, { signalboxHome }: ProofParts): Promise<readonly FormHere[]> {
  const parts = { signalboxHome, isAgain: true };
  const isOn = policy.sandbox !== "off";
  const of = (form: ContainmentForm, refused: NotContained | undefined, taken = isOn): FormHere => ({
    form,
    works: refused === undefined,
    taken,
    because: refused?.because,
    fix: refused?.fix,
  });
  if (process.platform !== "linux") {
    const { containment } = await proveSandbox(policy, parts);
    return [of("seatbelt", containment.contained ? undefined : containment)];
  }
  const { bubblewrap, landlock, takesLandlock } = await proveForms(policy, parts);
  return [of("bubblewrap", bubblewrap), of("landlock", landlock, isOn && takesLandlock)];
}

const SWITCHED_OFF: NotContained = {
  contained: false,
  because: "the policy sets sandbox: off",
  fix: "set sandbox: auto in the policy",
};

async function proveFor(policy: Policy, parts: ProofParts): Promise<Proof> {
  try {
    refuseWideRoots(policy, parts.signalboxHome);
    return await proveSandbox(policy, parts);
  } catch (error) {
    if (!isUserError(error)) throw error;
    return { containment: { contained: false, because: error.message, fix: error.fix } };
  }
}

/** What is wrong in a workspace must not lead to a session without a sandbox: a command could have put it there. */
function refused(error: unknown, workspace: string): unknown {
  if (isUserError(error)) {
    const { where, fix } = error;
    return new UserError(error.message, {
      ...(where !== undefined && { where }),
      fix,
      exitCode: EXIT.refused,
      cause: error,
    });
  }
  const path = error instanceof Error && "path" in error && typeof error.path === "string" ? error.path : "";
  if (!isInside(path, realpathSync(workspace))) return error;
  return new UserError(`the sandbox cannot be prepared: ${messageOf(error)}`, {
    where: path,
    fix: look(path),
    exitCode: EXIT.refused,
    cause: error,
  });
}

const look = (path: string) => `to look: ls -la ${shQuote(path)}. If a command made it, remove it`;

/** Bubblewrap names the path that it could not mount. */
function unstartable(failure: SessionFailure, workspace: string): UserError {
  const named = /\/(?:oldroot|newroot)(\/[^:]*?)(?: on \/|:|$)/.exec(failure.message)?.[1];
  return new UserError(
    `the sandbox works on this machine, but does not start in this workspace: ${printableLine(failure.message)}`,
    { where: named ?? workspace, fix: look(named ?? workspace), exitCode: EXIT.refused, cause: failure },
  );
}

const none = (containment: NotContained): NoSandbox => ({
  contained: false,
  containment,
  [Symbol.asyncDispose]: () => Promise.resolve(),
});

/** What the plan names may be gone or changed when bubblewrap mounts it; then a new plan works. */
async function startTwice(policy: Policy, parts: StartParts, programs: SandboxPrograms): Promise<RunningSandbox> {
  try {
    return await startSandbox(policy, parts, programs);
  } catch (error) {
    if (!(error instanceof SessionFailure || error instanceof ChangedMounts)) throw error;
    return await startSandbox(policy, parts, programs);
  }
}
