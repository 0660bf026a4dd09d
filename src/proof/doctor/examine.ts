import { join } from "node:path";
import { agentNamed, AGENTS } from "../../agents/packs.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { isInsideSession } from "../../lib/process/inside-session.ts";
import { PROVABLE } from "../proof-state.ts";
import { checkActiveAgent, checkAgent, checkNative, checkRecipeRunner } from "./agents.ts";
import { checkAudit, checkPolicy, checkSandbox } from "./guard.ts";
import type { CheckResult } from "./check.ts";
import { checkElsewhere, checkGit, checkPlaces } from "./machine.ts";
import { checkProof, checkStagedHooks, checkSwitches } from "./hooks.ts";
import { type DeliveryReport, reportDelivery } from "./prompt-delivery.ts";
import { checkRuntime } from "./runtime.ts";
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
