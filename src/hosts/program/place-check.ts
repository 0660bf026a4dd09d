import type { Check } from "../../backplane/run/run-parts.ts";
import { isInside } from "../../lib/inside.ts";
import { messageOf } from "../../lib/message-of.ts";
import { shQuote } from "../../lib/sh-quote.ts";

/** The check must be contained and cannot be. */
export class NotPlaced extends Error {}

interface PlacedCheck extends AsyncDisposable {
  readonly argv: readonly string[];
  /** What the sandbox refused, for whoever reads the check's output. */
  readonly takeNotes: () => readonly string[];
}

const OUTSIDE = /^\s*signalbox outside -- /;

/**
 * Where a check runs. It starts what the agent wrote, so it gets a sandbox like the agent's, in which nothing that the
 * agent left is running. The user takes it out with `signalbox outside -- CHECK`.
 */
export async function placeCheck(check: Check, env: NodeJS.ProcessEnv): Promise<PlacedCheck> {
  const { command, cwd, sandbox } = check;
  const argv = ["/bin/sh", "-c", command];
  if (sandbox === undefined || OUTSIDE.test(command)) return outside(argv);
  const { policy, home, isRequired } = sandbox;
  const warnings: string[] = [];
  const { openContainedSession } = await import("../../sandbox/contained-session.ts");
  const session = await openContainedSession({
    policy,
    caller: { session: check.runId, agent: "check" },
    environment: env,
    signalboxHome: home,
    network: () => policy.network,
    isTainted: () => false,
    warn: (text) => void warnings.push(text),
  });
  if (!session.contained) {
    if (!isRequired) return outside(argv);
    throw new NotPlaced(`${session.containment.because}. To change that: ${session.containment.fix}`);
  }
  try {
    const line = argv.map(shQuote).join(" ");
    const needs = isInside(cwd, policy.workspaceRoot) ? [] : [copyNeed(cwd)];
    const words = needs.length === 0 ? [session.program] : await session.lend(needs, line);
    return {
      argv: [...words, line],
      takeNotes: () => [...session.takeNotes(), ...warnings.splice(0)],
      [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
    };
  } catch (error) {
    await session[Symbol.asyncDispose]();
    throw new NotPlaced(messageOf(error));
  }
}

const outside = (argv: readonly string[]): PlacedCheck => ({
  argv,
  takeNotes: () => [],
  [Symbol.asyncDispose]: () => Promise.resolve(),
});

const copyNeed = (copy: string) =>
  ({ kind: "path", target: copy, access: "write", because: "the check runs in a copy of the workspace" }) as const;
