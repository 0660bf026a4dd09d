import { type ContainmentFacts, uncontained } from "../../contract/seal.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { openSnapshotSession } from "../../snapshots/open-session.ts";
import { type ContainmentPlace, openRecipeContainment } from "../shell/open-containment.ts";

export interface RunnerPlaceParts extends ContainmentPlace {
  /** Steps that start an agent. */
  readonly agentSteps: readonly string[];
}

/** Where the external runner runs. Closing it ends what runs inside. */
export interface RunnerPlace extends AsyncDisposable {
  readonly inside: boolean;
  /** Why it runs outside. */
  readonly because: string;
  readonly argv: (argv: readonly string[]) => readonly string[];
  readonly facts: () => ContainmentFacts;
}

/**
 * Opens the sandbox for the runner and everything that it starts. Agents need their login and their servers, so a
 * recipe that starts one runs outside. A snapshot of the workspace is taken first in both cases.
 */
export async function openRunnerPlace(parts: RunnerPlaceParts): Promise<RunnerPlace> {
  const { policy, agentSteps } = parts;
  const isRequired = parts.requireSandbox || policy.sandbox === "workspace" || policy.sandbox === "strict";
  if (agentSteps.length > 0) {
    const which = `the recipe starts agents (${agentSteps.slice(0, 5).join(", ")}${agentSteps.length > 5 ? " …" : ""})`;
    if (isRequired) throw required(which);
    return await outside(parts, `${which}, which cannot work inside`);
  }
  if (policy.sandbox === "off" && !isRequired) return await outside(parts, "the policy sets sandbox: off");
  const containment = openRecipeContainment(parts);
  await containment.require();
  const { argv, inside } = await containment.argv(LABEL, [LABEL]);
  if (!inside) {
    const because = containment.facts()?.because ?? "there is no sandbox";
    await containment[Symbol.asyncDispose]();
    return await outside(parts, because);
  }
  const [program = ""] = argv;
  return {
    inside,
    because: "",
    argv: (words) => [program, "--", ...words],
    facts: () => containment.facts() ?? uncontained(null),
    [Symbol.asyncDispose]: () => containment[Symbol.asyncDispose](),
  };
}

/** The command under which the containment knows the runner. */
const LABEL = "recipe-runner-rs";

async function outside({ policy, home, runId }: RunnerPlaceParts, because: string): Promise<RunnerPlace> {
  const snapshot = openSnapshotSession({ home, id: runId, agent: "recipe", workspace: policy.workspaceRoot });
  await snapshot.ready;
  return {
    inside: false,
    because,
    argv: (words) => words,
    facts: () => uncontained(because),
    [Symbol.asyncDispose]: () => snapshot.end(),
  };
}

const required = (which: string) =>
  new UserError(`a sandbox is required, but the external runner cannot run in one here, because ${which}`, {
    where: "--engine rust",
    fix: "use --engine native, which contains the commands of agents",
    exitCode: EXIT.failed,
  });
