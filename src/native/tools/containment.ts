import type { Policy } from "../../contract/policy.ts";
import { readTaint } from "../../guard/taint-store.ts";
import type { HostJob } from "../../receipts/host.ts";
import { type CommandContainment, openCommandContainment, UNCONTAINED } from "../../sandbox/run/contained-commands.ts";
import type { SnapshotSession } from "../../snapshots/open-session.ts";

export interface ContainmentOptions {
  readonly sessionId: string;
  readonly policy: Policy;
  /** The signalbox folder in the user's home. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Nothing runs where commands cannot be contained. */
  readonly requireSandbox: boolean | undefined;
  /** What could be restored, where the caller has taken a snapshot itself. */
  readonly recovery: HostJob["recovery"];
  /** Takes the snapshot of the session's start, where the caller has none. The caller ends it. */
  readonly snapshot: (() => SnapshotSession) | undefined;
  readonly warn: (text: string) => void;
}

/** The session's sandbox and the snapshot beside it, opened by the first command or before it by `prepare`. */
export function openContainment(options: ContainmentOptions): CommandContainment {
  const { policy, home, environment, sessionId, warn, requireSandbox } = options;
  const isRequired = requireSandbox === true || policy.sandbox === "workspace" || policy.sandbox === "strict";
  if (policy.sandbox === "off" && !isRequired) return UNCONTAINED;
  let snapshot: SnapshotSession | undefined;
  let problem: string | undefined;
  const recovery = () => options.recovery ?? snapshot;
  const containment = openCommandContainment({
    isRequired,
    warn,
    recoverable: (...asked) => recovery()?.recoverable(...asked),
    async open() {
      if (options.recovery === undefined) snapshot = options.snapshot?.();
      const { openContainedSession } = await import("../../sandbox/contained-session.ts");
      const session = await openContainedSession({
        policy,
        isRequired,
        caller: { session: sessionId, agent: "native" },
        environment,
        signalboxHome: home,
        network: () => policy.network,
        isTainted: () => readTaint(home, sessionId) !== undefined,
        warn,
      });
      const state = await snapshot?.ready;
      if (session.contained && state?.state === "unknown")
        problem = `no snapshot was taken (${state.because}), so commands that discard files need approval`;
      return session;
    },
    onFirst: () => void (problem === undefined || warn(problem)),
  });
  return {
    ...containment,
    async judged() {
      recovery()?.ended("command");
      return await containment.judged();
    },
    async argv(command, bare) {
      recovery()?.began("command");
      return await containment.argv(command, bare);
    },
  };
}
