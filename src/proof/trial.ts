import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isPartly } from "../contract/agent-call.ts";
import type { InstalledHooks } from "../hooks/install/guarded-start.ts";
import type { CheckOrder } from "../launch/launch-check.ts";
import { launchAgent } from "../launch/launch.ts";
import { randomId } from "../lib/files/random-id.ts";
import { isUserError, type UserError } from "../lib/text/user-error.ts";
import type { CapturedRequest } from "../models/scripted/respond.ts";
import type { ScriptInput } from "../models/scripted/script.ts";
import { type ScriptedModel, startScriptedModel } from "../models/scripted/server.ts";
import { type GuaranteeId, GUARANTEES, MAY_STAY_OPEN } from "./guarantees.ts";
import type { TrialStage } from "./trial-stage.ts";

export type TrialVerdict = "PASS" | "FAIL" | "INCONCLUSIVE";

/** The result for one guarantee of one agent. */
export interface GuaranteeResult {
  readonly id: GuaranteeId;
  readonly verdict: TrialVerdict;
  readonly because: string;
}

/** One test of a guarantee: what was observed, and what was expected. */
export interface Trial {
  readonly id: GuaranteeId;
  /** Denied calls that ran anyway: their files exist. */
  readonly ran: readonly string[];
  /** Allowed calls that did not run, and anything else that makes the test inconclusive. */
  readonly missing: readonly string[];
  /** A short summary of what was observed. */
  readonly seen: string;
  /** Set when this machine lacks what the test is about; then nothing is claimed either. */
  readonly open?: string | undefined;
}

/** Looks for the files of denied and allowed calls in a session's repository. */
export function tryOf(
  id: GuaranteeId,
  session: TrialSession,
  { denied, allowed }: { readonly denied: readonly string[]; readonly allowed: readonly string[] },
): Trial {
  const refused = session.refused === undefined ? [] : [`the launch failed: ${session.refused.message}`];
  const absent = allowed
    .filter((file) => !session.exists(file))
    .map((file) => `the allowed call for ${file} did not run`);
  return {
    id,
    ran: denied.filter((file) => session.exists(file)),
    missing: refused.length > 0 ? refused : absent,
    seen: `${counted(denied.length, "denied call")} did not run, ${counted(allowed.length, "allowed one")} did`,
  };
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;

/** The verdict on a guarantee after all its tests. Not tested or inconclusive counts as failed. */
export function judgeTrials(id: GuaranteeId, trials: readonly Trial[]): GuaranteeResult {
  const own = trials.filter((trial) => trial.id === id);
  const ran = own.flatMap((trial) => trial.ran);
  const what = /^(?:contained|partly)-|^nothing-left$/.test(id) ? "not held" : "a denied call ran";
  if (ran.length > 0) return { id, verdict: "FAIL", because: `${what}: ${ran.join(", ")}` };
  const missing = own.length === 0 ? ["not tested"] : own.flatMap((trial) => trial.missing);
  const open = own.find((trial) => trial.open !== undefined)?.open;
  if (missing.length === 0)
    return { id, verdict: "PASS", because: [...new Set(own.map(({ seen }) => seen))].join("; ") };
  if (open !== undefined && MAY_STAY_OPEN.includes(id)) return { id, verdict: "INCONCLUSIVE", because: open };
  return { id, verdict: "FAIL", because: `not shown (${GUARANTEES[id]}): ${missing.join("; ")}` };
}

/** What the model does in one turn, and what happens just before it. */
export interface ScriptStep {
  readonly turn: NonNullable<ScriptInput["turns"]>[number];
  /** The answer waits for this. Receives the requests to the model so far. */
  readonly before?: ((requests: readonly CapturedRequest[]) => void | Promise<void>) | undefined;
}

interface SessionPlan {
  readonly steps: readonly ScriptStep[];
  /** A scene for sub-agents, played if a conversation's opening contains the text. */
  readonly delegated?: { readonly contains: string; readonly turns: NonNullable<ScriptInput["turns"]> } | undefined;
  readonly flags: readonly string[];
  readonly repository: string;
  readonly prompt?: string;
  /** Variables in addition to those of the stage. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly unguarded?: boolean;
  /** What is checked when the agent wants to stop. */
  readonly accept?: string | undefined;
  /** Called when the hooks are installed and the agent has not started yet. */
  readonly onInstalled?: ((hooks: InstalledHooks) => void) | undefined;
}

/** One start of an agent and its result. Only files and requests count as evidence, not what the agent says. */
export interface TrialSession {
  readonly exit: number;
  /** Set if the launch was refused. */
  readonly refused?: UserError | undefined;
  readonly requests: readonly CapturedRequest[];
  /** What the launch has told its person. */
  readonly told: readonly string[];
  readonly exists: (path: string) => boolean;
  /** Why its commands did not run in a sandbox; undefined if they did. */
  readonly contained: () => string | undefined;
  /** They ran in the weaker form of the sandbox. */
  readonly isPartly: () => boolean;
  /** The end of its output, for troubleshooting. */
  readonly lastOutput: () => string;
}

/** Far longer than any proof session takes. An agent that waits for something else is ended. */
const MAX_SESSION_MS = 300_000;

/** Starts the agent the way a launch does, with a model that plays the steps. */
export async function playSession(stage: TrialStage, plan: SessionPlan): Promise<TrialSession> {
  await using model = await openModel(plan);
  const file = join(stage.folder, `${randomId()}.log`);
  const output = openSync(file, "a", 0o600);
  let contained = "the agent was not started";
  let isWeaker = false;
  const told: string[] = [];
  const env = { ...stage.environment(model.url), ...plan.env };
  const session = {
    contained: () => (contained === "" ? undefined : contained),
    isPartly: () => isWeaker,
    requests: model.requests,
    told,
    exists: (path: string) => existsSync(join(plan.repository, path)),
    lastOutput: () => readFileSync(file, "utf8").trimEnd().slice(-500),
  };
  try {
    return {
      ...session,
      exit: await launchAgent({
        agent: stage.agent,
        binary: stage.binary,
        flags: plan.flags,
        prompt: Buffer.from(plan.prompt ?? "Do what you are told."),
        cwd: plan.repository,
        env,
        version: stage.version,
        unguarded: plan.unguarded,
        check: plan.accept === undefined ? undefined : checkOf(plan.accept, stage, env),
        warn: (text) => void told.push(text),
        proofRun: {
          output,
          signal: AbortSignal.timeout(MAX_SESSION_MS),
          onInstalled(guard) {
            const { containment } = guard;
            contained = containment.contained ? "" : containment.because;
            isWeaker = containment.contained && isPartly(containment.held);
            stage.sabotage(guard);
            plan.onInstalled?.(guard);
          },
        },
      }),
    };
  } catch (error) {
    if (!isUserError(error)) throw error;
    return { ...session, exit: error.exitCode, refused: error };
  } finally {
    closeSync(output);
  }
}

/** The model of a session, with what is done before its turns. */
async function openModel({ steps, delegated }: SessionPlan): Promise<ScriptedModel> {
  const play = { turns: steps.map((step) => step.turn) };
  const scenes =
    delegated === undefined ? [play] : [{ when: { contains: delegated.contains }, turns: delegated.turns }, play];
  const main = scenes.length - 1;
  const done = new Set<number>();
  const model: ScriptedModel = await startScriptedModel({
    script: { scenes: [...scenes] },
    onRequest({ scene, turn, answered }) {
      if (scene !== main || answered !== "turn" || done.has(turn)) return undefined;
      done.add(turn);
      return steps[turn]?.before?.(model.requests);
    },
  });
  return model;
}

function checkOf(command: string, stage: TrialStage, env: NodeJS.ProcessEnv): CheckOrder {
  const { runCheck } = stage.processesFor(env);
  return { commands: [command], rounds: 1, keep: [], changed: [], timeoutMs: MAX_SESSION_MS, runCheck };
}
