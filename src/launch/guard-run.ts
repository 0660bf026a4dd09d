import type { FoundBinary } from "../agents/find-binary.ts";
import type { Agent } from "../agents/pack/agent.ts";
import type { OrderPolicy } from "../contract/policy-file.ts";
import type { Guard, GuardedStart } from "../hooks/install/guarded-start.ts";
import { prepareGuard } from "../hooks/install/prepare.ts";
import { makeFolder } from "../lib/make-folder.ts";
import { stagedCheck } from "../staging/staged-check.ts";

interface GuardedRun extends Pick<GuardedStart, "flags" | "cwd" | "env" | "warn"> {
  readonly agent: Agent;
  readonly binary: FoundBinary;
  /** A private folder outside the workspace; it is made. */
  readonly folder: string;
  /** The rules of the work order, for the answer that is given when our server cannot. */
  readonly order: OrderPolicy;
  /** The judge of the run. */
  readonly decide: NonNullable<GuardedStart["alsoJudge"]>;
}

/** Readies the hooks for an agent that works without a person. Throws when its calls could not be held. */
export async function guardRun(run: GuardedRun): Promise<Guard> {
  makeFolder(run.folder);
  return await prepareGuard({
    ...run,
    agent: run.agent.name,
    binary: run.binary.real,
    interactive: false,
    deniedTools: [],
    alsoJudge: run.decide,
    staged: await stagedCheck(run.cwd, run.env),
  });
}
