import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { type Containment, HELD_PARTS, PARTLY_HELD } from "../contract/agent-call.ts";
import type { Policy } from "../contract/policy.ts";
import { helperProgram } from "../lib/path/package-folder.ts";
import { diskError, isUserError, messageOf } from "../lib/text/user-error.ts";
import { type SandboxPrograms, startSandbox } from "./linux/session-sandbox.ts";
import { SessionFailure } from "./linux/start-session.ts";
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

type Contained = Extract<Containment, { contained: true }>;

type NotContained = Extract<Containment, { contained: false }>;

type ProvenLandlock = { readonly containment: Contained; readonly programs: SandboxPrograms } | NotProven;

/** The form that is left where bubblewrap does not work. */
interface WeakerForm {
  /** The policy takes it. */
  readonly isTaken: boolean;
  /** The policy takes it, and its trial has passed before. */
  readonly isKnown: () => boolean;
  /** Whether it holds here, and the policy takes it; `instead` says why it has to be this one. */
  readonly prove: (instead: NotContained) => Promise<ProvenLandlock>;
  /** Whether it would hold here, whatever the policy takes. */
  readonly tryIt: () => Promise<PassedTrial | NotProven>;
}

export function weakerForm(policy: Policy, parts: ProofParts): WeakerForm {
  const { signalboxHome, isAgain } = parts;
  const helper = (parts.findHelper ?? helperProgram)();
  const isTaken = takesLandlock(policy, parts.isRequired);
  const key = helper === undefined ? undefined : proofKey(policy, [helper], "landlock");
  const known = () => (key === undefined || isAgain === true ? undefined : readProof(signalboxHome, key));
  const tryIt = async () => {
    if (helper === undefined || key === undefined) return notProven(NO_HELPER, OFF);
    const proof = known() ?? (await tryLandlock(policy, signalboxHome, helper));
    if (!("containment" in proof)) writeProof(signalboxHome, key, proof);
    return proof;
  };
  return {
    isTaken,
    isKnown: () => isTaken && known() !== undefined,
    tryIt,
    async prove(instead) {
      if (!isTaken) return { containment: withChoice(instead, policy, helper) };
      const proof = await tryIt();
      if ("containment" in proof) return { containment: instead };
      const { because, fix } = instead;
      const { provenAt } = proof;
      return {
        containment: { ...LANDLOCK, provenAt, instead: { because, fix } },
        programs: { bubblewrap: undefined, helper, closesUserNamespaces: false },
      };
    },
  };
}

const LANDLOCK = { contained: true, form: "landlock", by: "Landlock", held: PARTLY_HELD } as const;

const NO_HELPER = "signalbox's helper cannot run here";

/** Whether the weaker form will do where the whole one does not work. */
const takesLandlock = ({ sandbox, landlock }: Policy, isRequired = false): boolean =>
  sandbox !== "strict" && (landlock ?? (sandbox === "auto" && !isRequired ? "allow" : "deny")) === "allow";

const TAKE_IT =
  "Or take the weaker form, which this kernel has: sandbox: { level: workspace, landlock: allow } (signalbox sandbox --why)";

function withChoice(instead: NotContained, { sandbox }: Policy, helper: string | undefined): NotContained {
  const isChoice = sandbox !== "strict" && helper !== undefined && hasLandlock(helper);
  return isChoice ? { ...instead, fix: `${instead.fix}. ${TAKE_IT}` } : instead;
}

/** Whether this kernel has a Landlock that will do. */
const hasLandlock = (helper: string): boolean =>
  spawnSync(helper, ["landlock"], { argv0: "signalbox landlock", env: {}, stdio: "ignore" }).status === 0;

async function tryLandlock(policy: Policy, signalboxHome: string, helper: string): Promise<PassedTrial | NotProven> {
  const programs = { bubblewrap: undefined, helper, closesUserNamespaces: false };
  const provenAt = new Date().toISOString();
  try {
    const fault = await tryOut({
      signalboxHome,
      policy,
      program: "Landlock",
      // More than it claims: protected files are put back, and processes can be seen, but not reached.
      held: HELD_PARTS,
      needed: ["inside", "temporary", "session"],
      start: (trialPolicy, environment) =>
        startSandbox(trialPolicy, { environment, signalboxHome: join(trialPolicy.home, ".signalbox") }, programs),
    });
    return fault ?? { provenAt, closesUserNamespaces: false, usesHelper: true };
  } catch (error) {
    if (error instanceof SessionFailure) return notProven(lastLine(error.message).replace(/^signalbox: /, ""), NEEDS);
    const known = isUserError(error) ? error : diskError(error, signalboxHome);
    return notProven(`the sandbox test failed: ${known?.message ?? messageOf(error)}`, known?.fix ?? OFF);
  }
}

const lastLine = (text: string) => text.trim().split("\n").at(-1) ?? "";

const NEEDS = "Landlock needs Linux 6.7 or newer, and a kernel command line whose lsm= names it";
