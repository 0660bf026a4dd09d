import type { Containment } from "../contract/agent-call.ts";
import type { Policy } from "../contract/policy.ts";
import { isUserError } from "../lib/text/user-error.ts";
import { type Contained, type NotContained, notContainedBy, type ProofParts, proveSandbox } from "./prove-sandbox.ts";
import { startSeatbelt } from "./macos/seatbelt-session.ts";
import { type RunningSandbox, type SandboxPrograms, startSandbox, type StartParts } from "./linux/session-sandbox.ts";
import { planSession, refuseWorkspace, type SessionView } from "./session/session-plan.ts";
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
 * makes the trial; later ones take what it found.
 */
export async function openSessionSandbox(policy: Policy, parts: SandboxParts): Promise<SessionSandbox | NoSandbox> {
  if (policy.sandbox === "off") return none(SWITCHED_OFF);
  try {
    refuseWorkspace(policy);
    const proof = await proveSandbox(policy, parts);
    if (!("programs" in proof || "sandboxExec" in proof)) return none(proof.containment);
    const { containment } = proof;
    if ("sandboxExec" in proof) {
      const sandbox = await startSeatbelt(policy, parts, proof.sandboxExec);
      return { ...sandbox, contained: true, containment, usesHelper: false };
    }
    const sandbox = await startTwice(policy, parts, proof.programs);
    return { ...sandbox, contained: true, containment, usesHelper: proof.programs.helper !== undefined };
  } catch (error) {
    return none(whyNone(error));
  }
}

/** The sandbox that a session started here would have, and its view of the disk. */
export interface SandboxHere {
  readonly containment: Containment;
  /** Undefined where there is none. */
  readonly plan?: SessionView | undefined;
  /** Whether commands start through our helper; only then all limits hold. */
  readonly usesHelper?: boolean;
}

/** What `openSessionSandbox` would find, without opening it. The trial is made where it is not remembered. */
export async function sandboxHere(
  policy: Policy,
  parts: ProofParts & Pick<StartParts, "environment">,
): Promise<SandboxHere> {
  if (policy.sandbox === "off") return { containment: SWITCHED_OFF };
  try {
    const { signalboxHome, environment } = parts;
    const privateHome = policy.sandbox === "strict" ? undefined : signalboxHome;
    const plan = planSession(policy, { signalboxHome, privateHome, path: environment["PATH"] ?? "" });
    const proof = await proveSandbox(policy, parts);
    const { containment } = proof;
    if (!containment.contained) return { containment };
    return { containment, plan, usesHelper: "programs" in proof && proof.programs.helper !== undefined };
  } catch (error) {
    return { containment: whyNone(error) };
  }
}

const SWITCHED_OFF: NotContained = {
  contained: false,
  because: "the policy sets sandbox: off",
  fix: "set sandbox: auto in the policy",
};

/** Throws what is no reason of the user's or the machine's. */
function whyNone(error: unknown): NotContained {
  if (error instanceof SessionFailure) return notContainedBy(error);
  if (!isUserError(error)) throw error;
  return { contained: false, because: error.message, fix: error.fix };
}

const none = (containment: NotContained): NoSandbox => ({
  contained: false,
  containment,
  [Symbol.asyncDispose]: () => Promise.resolve(),
});

/** A file that the plan names may be gone when bubblewrap mounts it; then a new plan works. */
async function startTwice(policy: Policy, parts: StartParts, programs: SandboxPrograms): Promise<RunningSandbox> {
  try {
    return await startSandbox(policy, parts, programs);
  } catch (error) {
    if (!(error instanceof SessionFailure)) throw error;
    return await startSandbox(policy, parts, programs);
  }
}
