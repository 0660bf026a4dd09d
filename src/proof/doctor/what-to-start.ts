import { agentOf } from "./agents.ts";
import { type CheckResult, joinUnproven } from "./check.ts";

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
