import type { Policy } from "../../contract/policy.ts";
import { openContainedSession } from "../../sandbox/contained-session.ts";
import { openSnapshotSession, type SnapshotSession } from "../../snapshots/open-session.ts";
import {
  type CommandContainment,
  openCommandContainment,
  UNCONTAINED,
} from "../../tools/command/contained-commands.ts";

export interface ContainmentPlace {
  readonly policy: Policy;
  /** The user's signalbox folder. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly runId: string;
  /** What commands read besides what the policy lets them. */
  readonly readable: readonly string[];
  readonly requireSandbox: boolean;
  readonly warn: (text: string) => void;
}

export interface RecipeContainment extends CommandContainment {
  /** Whether a snapshot has the workspace as it was before the first command. */
  readonly hasSnapshot: () => boolean;
}

/** The sandbox of a recipe's commands and the snapshot beside it, both opened by the first command. */
export function openRecipeContainment(place: ContainmentPlace): RecipeContainment {
  const { policy, home, environment, runId, warn } = place;
  const isRequired = place.requireSandbox || policy.sandbox === "workspace" || policy.sandbox === "strict";
  if (policy.sandbox === "off" && !isRequired) return { ...UNCONTAINED, hasSnapshot: () => false };
  let snapshot: SnapshotSession | undefined;
  let isTaken = false;
  const containment = openCommandContainment({
    isRequired,
    warn,
    recoverable: (...asked) => snapshot?.recoverable(...asked),
    async open() {
      snapshot = openSnapshotSession({ home, id: runId, agent: "recipe", workspace: policy.workspaceRoot });
      const session = await openContainedSession({
        policy,
        caller: { session: runId, agent: "recipe" },
        environment,
        signalboxHome: home,
        extraReadable: place.readable,
        network: () => policy.network,
        isTainted: () => false,
        warn,
      });
      const taken = await snapshot.ready;
      isTaken = taken.state === "taken";
      if (taken.state === "unknown") warn(`no snapshot (${taken.because}): commands that discard work need approval`);
      return session;
    },
  });
  return {
    ...containment,
    hasSnapshot: () => isTaken,
    async judged() {
      snapshot?.ended("command");
      return await containment.judged();
    },
    async argv(command, bare) {
      snapshot?.began("command");
      return await containment.argv(command, bare);
    },
    async [Symbol.asyncDispose]() {
      await containment[Symbol.asyncDispose]();
      await snapshot?.end();
    },
  };
}
