import { agentNamed, AGENTS } from "../../agents/packs.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { isInsideSession } from "../../lib/process/inside-session.ts";
import { PROVABLE } from "../proof-state.ts";
import { agentOf, checkActiveAgent, checkAgent, checkNative, checkRecipeRunner } from "./agents.ts";
import { checkAudit, checkPolicy, checkSandbox } from "./guard.ts";
import { type CheckResult, type Examined, joinUnproven } from "./check.ts";
import { checkFleet } from "./fleet.ts";
import { checkElsewhere, checkGit, checkPlaces, checkRuntime } from "./machine.ts";
import { checkProof, checkStagedHooks, checkSwitches } from "./hooks.ts";
import { type DeliveryReport, reportDelivery } from "./prompt-delivery.ts";

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
  const places = checkPlaces(home, env);
  const canRecord = places.every(({ id, status }) => id !== "places.home" || status === "ok");
  const here: Examined = { cwd, home, env, version, readOnly: isInsideSession(env), canRecord };
  const [git, runner, sandbox, fleet, ...agents] = await Promise.all([
    checkGit(here),
    checkRecipeRunner(here),
    checkSandbox(here),
    checkFleet(here),
    ...AGENTS.map((agent) => checkAgent(agent, here)),
  ]);
  const checks = [
    checkRuntime(),
    git,
    ...places,
    checkActiveAgent(here, agents),
    checkPolicy(here),
    sandbox,
    checkStagedHooks(here),
    checkAudit(home),
    checkElsewhere(home),
    ...fleet,
    ...agents,
    ...PROVABLE.flatMap((name) => [checkProof(agentNamed(name, "doctor"), here), checkSwitches(name, env)]),
    checkNative(here),
    runner,
  ];
  const ok = checks.every((check) => check.status !== "fail");
  return { ok, ...whatToStart(checks), checks, promptDelivery: reportDelivery(AGENTS, env) };
}

/** A command that can be typed as it is, and what it does. */
export interface NextCommand {
  readonly command: string;
  readonly does: string;
}

/** What can be started here, and what to do next, from the results of the checks. */
export function whatToStart(checks: readonly CheckResult[]): {
  readonly canStart: readonly string[];
  readonly next: readonly NextCommand[];
} {
  const active = checks.find(({ id }) => id === "active-agent")?.facts?.["agent"];
  const agents = checks.filter(({ id }) => id.startsWith("agent."));
  const canStart = agents
    .filter(({ status, facts, id }) => status === "ok" || (status === "warn" && facts !== undefined && id !== NATIVE))
    .map(agentOf)
    .toSorted((a, b) => Number(b === active) - Number(a === active));
  const [first] = canStart;
  return { canStart, next: first === undefined ? toInstall(agents) : toDo(first, checks) };
}

const NATIVE = "agent.native";

function toDo(agent: string, checks: readonly CheckResult[]): readonly NextCommand[] {
  const proof = checks.find(({ id }) => id === `proof.${agent}`);
  const toProve = proof?.status === "warn" ? joinUnproven(checks) : proof?.status === "fail" ? proof : undefined;
  const prove = toProve?.fix?.replace(/^run: /, "");
  return [
    { command: `signalbox ${agent}`, does: "under your rules" },
    { command: `signalbox run ${agent} "TASK" --accept "npm test"`, does: "a checked task" },
    ...(prove === undefined ? [] : [{ command: prove, does: "test the rules" }]),
  ];
}

const MAX_INSTALLS = 3;

/** An installation command contains alternatives after a semicolon. */
function toInstall(agents: readonly CheckResult[]): readonly NextCommand[] {
  const installs = agents
    .filter(({ id, status }) => id !== NATIVE && status === "absent")
    .flatMap((check) => {
      const [command] = (check.fix ?? "").split("; ");
      return command === undefined || command === "" ? [] : { command, does: `install ${agentOf(check)}` };
    });
  return [
    { command: "signalbox demo", does: "a tour, offline" },
    ...installs.slice(0, MAX_INSTALLS),
    { command: "signalbox models", does: "a model for native" },
  ];
}
