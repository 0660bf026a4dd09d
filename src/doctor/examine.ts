import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { AGENTS } from "../agents/registry.ts";
import { checkActiveAgent } from "./active-agent.ts";
import { checkAgent } from "./agents.ts";
import type { CheckResult } from "./check.ts";
import { checkGit } from "./git.ts";
import { checkPlaces } from "./places.ts";
import { type DeliveryReport, reportDelivery } from "./prompt-delivery.ts";
import { checkRuntime } from "./runtime.ts";

export interface Examination {
  readonly ok: boolean;
  readonly checks: readonly CheckResult[];
  readonly promptDelivery: DeliveryReport;
}

/** Every check of this machine, side by side. */
export async function examine(cwd: string, env: NodeJS.ProcessEnv): Promise<Examination> {
  const home = signalboxHome(env);
  const [git, ...agents] = await Promise.all([
    checkGit(env),
    ...AGENTS.map((agent) => checkAgent(agent, env, join(home, "cache"))),
  ]);
  const checks = [checkRuntime(), git, ...checkPlaces(home, env), checkActiveAgent(cwd, env), ...agents];
  const ok = checks.every((check) => check.status !== "fail");
  return { ok, checks, promptDelivery: reportDelivery(AGENTS, env) };
}

function signalboxHome(env: NodeJS.ProcessEnv): string {
  const setting = env["SIGNALBOX_HOME"];
  return setting !== undefined && isAbsolute(setting) ? setting : join(homedir(), ".signalbox");
}
