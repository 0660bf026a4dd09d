import { join } from "node:path";
import { agentNamed, AGENTS } from "../agents/registry.ts";
import { signalboxHome } from "../lib/home-folder.ts";
import { isInsideSession } from "../lib/inside-session.ts";
import { PROVABLE } from "../proof/proof-state.ts";
import { checkActiveAgent } from "./active-agent.ts";
import { checkAgent } from "./agents.ts";
import { checkAudit } from "./audit.ts";
import type { CheckResult } from "./check.ts";
import { checkElsewhere } from "./elsewhere.ts";
import { checkGit } from "./git.ts";
import { checkSwitches } from "./hooks-switched-off.ts";
import { checkNative } from "./native.ts";
import { checkPlaces } from "./places.ts";
import { checkPolicy } from "./policy.ts";
import { type DeliveryReport, reportDelivery } from "./prompt-delivery.ts";
import { checkProof } from "./proofs.ts";
import { checkRecipeRunner } from "./recipe-runner.ts";
import { checkRuntime } from "./runtime.ts";
import { checkSandbox } from "./sandbox.ts";
import { checkStagedHooks } from "./staged-hooks.ts";
import { type NextCommand, whatToStart } from "./what-to-start.ts";

export interface Examination {
  readonly ok: boolean;
  /** The agents that can be started here, the one that `run` would use first. */
  readonly canStart: readonly string[];
  /** Commands that the user can type next, most useful first. */
  readonly next: readonly NextCommand[];
  readonly checks: readonly CheckResult[];
  readonly promptDelivery: DeliveryReport;
}

/** Runs all checks of this machine in parallel. */
export async function examine(cwd: string, env: NodeJS.ProcessEnv, version: string): Promise<Examination> {
  const home = signalboxHome(env);
  const readOnly = isInsideSession(env);
  const places = checkPlaces(home, env);
  const canRecord = places.every(({ id, status }) => id !== "places.home" || status === "ok");
  const [git, runner, sandbox, ...agents] = await Promise.all([
    checkGit(cwd, env),
    checkRecipeRunner(env, { cwd, readOnly }),
    checkSandbox({ cwd, home, canRecord }, env),
    ...AGENTS.map((agent) => checkAgent(agent, env, { cwd, cache: join(home, "cache"), readOnly })),
  ]);
  const checks = [
    checkRuntime(),
    git,
    ...places,
    checkActiveAgent(cwd, env, agents),
    checkPolicy(cwd, home),
    sandbox,
    checkStagedHooks(cwd, home, env),
    checkAudit(home),
    checkElsewhere(home),
    ...agents,
    ...PROVABLE.flatMap((name) => [
      checkProof(agentNamed(name, "doctor"), env, { home, version, cwd, canRecord }),
      checkSwitches(name, env),
    ]),
    checkNative(env, home),
    runner,
  ];
  const ok = checks.every((check) => check.status !== "fail");
  return { ok, ...whatToStart(checks), checks, promptDelivery: reportDelivery(AGENTS, env) };
}
