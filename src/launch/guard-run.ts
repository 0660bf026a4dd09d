import type { FoundBinary } from "../agents/find-binary.ts";
import type { Agent } from "../agents/pack/agent.ts";
import type { OrderPolicy } from "../contract/policy.ts";
import type { Guard, GuardedStart } from "../hooks/install/guarded-start.ts";
import { prepareGuard } from "../hooks/install/prepare.ts";
import { makeFolder } from "../lib/files/make-folder.ts";
import { stagedCheck, textsFor } from "../staging/refresh.ts";

interface GuardedRun extends Pick<
  GuardedStart,
  "flags" | "flagsWhen" | "requireSandbox" | "recovery" | "id" | "cwd" | "env" | "warn" | "alsoJudge" | "answered"
> {
  readonly agent: Agent;
  readonly binary: FoundBinary;
  /** A private folder outside the workspace. It is created here. */
  readonly folder: string;
  /** The work order's rules, for the answer given when our server cannot answer. */
  readonly order: OrderPolicy;
}

/** Prepares the hooks for an unattended agent. Throws if its calls could not be held. */
export async function guardRun(run: GuardedRun): Promise<Guard> {
  makeFolder(run.folder);
  return await prepareGuard({
    ...run,
    agent: run.agent.name,
    binary: run.binary.real,
    interactive: false,
    deniedTools: [],
    staged: await stagedCheck(run.cwd, run.env),
    texts: await textsFor(run.agent.name, run.cwd, run.env),
  });
}
