import { existsSync, mkdirSync, realpathSync, rmdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type Containment, weakerNotice } from "../../contract/agent-call.ts";
import type { AgentInstall, ContainedStart } from "../../contract/agent-install.ts";
import type { OwnRules } from "../../contract/own-rules.ts";
import type { Policy } from "../../contract/policy.ts";
import { type ContainmentFacts, uncontained } from "../../contract/seal.ts";
import { isInside, unsafeWorkspace } from "../../lib/path/inside.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import type { ContainedSession } from "../../sandbox/contained-session.ts";
import { openSnapshotSession, type SnapshotSession } from "../../snapshots/open-session.ts";
import { liveOwnRules } from "../hook-context.ts";
import type { GuardedStart, SessionRecovery } from "./guarded-start.ts";

interface SessionParts {
  readonly agent: AgentInstall;
  /** The agent's name for people. */
  readonly title: string;
  readonly policy: Policy;
  /** The policy as it is now. */
  readonly currentPolicy: () => Policy;
  readonly workspace: string;
  /** The user's signalbox folder. */
  readonly home: string;
  readonly isTainted: () => boolean;
}

interface SessionOfPlace extends ContainedSession, SessionRecovery {
  /** Settles when it is known what could be restored. */
  readonly ready: Promise<unknown>;
  readonly snapshot?: SnapshotSession["ready"] | undefined;
}

/** Where the commands of one start will run, and the flags that go with it. */
export interface SessionPlace {
  readonly containment: Containment;
  /** Set when commands are rewritten to run in our sandbox. */
  readonly session?: SessionOfPlace | undefined;
  readonly ownRules?: (() => OwnRules) | undefined;
  readonly flags: readonly string[];
  readonly isRequired: boolean;
  /** The agent's own sandbox is around ours. */
  readonly ownSandbox?: true | undefined;
  readonly facts: () => ContainmentFacts;
}

/**
 * Opens the sandbox that the policy asks for. Where there can be none, the start goes on without one and says so, or is
 * refused if a sandbox is required.
 */
export async function containSession(start: GuardedStart, parts: SessionParts): Promise<SessionPlace> {
  const { policy, agent, workspace, title } = parts;
  const isRequired = start.requireSandbox === true || policy.sandbox === "workspace" || policy.sandbox === "strict";
  const without = (containment: Extract<Containment, { readonly contained: false }>, isWanted = true): SessionPlace => {
    if (isRequired) throw refusal(containment, start.requireSandbox === true);
    if (isWanted) start.warn(`contained: no, because ${containment.because}. To change that: ${containment.fix}`);
    const flags = start.flagsWhen?.(false) ?? start.flags;
    return { containment, flags, isRequired, facts: () => uncontained(containment.because) };
  };
  if (policy.sandbox === "off") return without(SWITCHED_OFF, false);
  const wanted = { ...start, workspace, flags: start.flagsWhen?.(true) ?? start.flags };
  const read = () => agent.readOwnRules(wanted);
  const rules = read();
  const problem = unreadableRule(rules, { required: isRequired, title });
  if (problem !== undefined) return without(problem);
  const plan = (canEnter: boolean): ContainedStart =>
    agent.containedStart?.({ ...wanted, canEnter }) ?? { by: "signalbox", flags: wanted.flags };
  const byOther = (planned: Exclude<ContainedStart, { readonly by: "signalbox" }>): SessionPlace => {
    if (planned.by === "nobody") return without({ contained: false, because: planned.because, fix: planned.fix });
    return planned.held.length === 0 ? without(HOLDS_NOTHING) : heldByAgent(start, planned, isRequired);
  };
  const first = plan(true);
  if (first.by !== "signalbox") return byOther(first);
  const removeMountPoints = makeMountPoints(workspace, first.mountPoints ?? []);
  const snapshot = earlySnapshot(start, parts);
  const session = await openSession(start, parts, {
    isRequired,
    onStarting: () => void (start.recovery ?? snapshot.take()),
  });
  if (!session.contained) {
    removeMountPoints();
    await snapshot.drop();
    return without(session.containment);
  }
  // An agent's own sandbox needs user namespaces as well, where it has one.
  const canEnter = session.usesHelper && session.containment.form !== "landlock";
  if (!canEnter) removeMountPoints();
  const planned = canEnter ? first : plan(false);
  if (planned.by !== "signalbox") {
    await session[Symbol.asyncDispose]();
    removeMountPoints();
    await snapshot.drop();
    return byOther(planned);
  }
  for (const text of [weakerNotice(session.containment), planned.say]) if (text !== undefined) start.warn(text);
  return {
    containment: session.containment,
    session: withRecovery(session, start, snapshot.take, removeMountPoints),
    ownRules: liveOwnRules(rules, read),
    flags: planned.flags,
    isRequired,
    ownSandbox: planned.ownSandbox,
    facts: () => session.facts(),
  };
}

/** What the hooks of the start need to know about it. */
export const containmentSettings = ({ session, containment, ownRules, isRequired, ownSandbox }: SessionPlace) => ({
  sandbox: session?.program,
  held: session?.containment.held,
  heldByAgent: containment.contained && session === undefined,
  requiresSandbox: isRequired,
  ownSandbox,
  ownRules: ownRules?.(),
});

/**
 * A snapshot is taken beside the start, so that most of what commands delete could be restored. The first call takes
 * it.
 */
function earlySnapshot(start: GuardedStart, { home, workspace }: SessionParts) {
  let taken: SnapshotSession | undefined;
  const order = { home, id: start.id, agent: start.agent, workspace, isEarly: true };
  return {
    take: () => (taken ??= openSnapshotSession(order)),
    drop: async () => await taken?.end(),
  };
}

function withRecovery(
  session: ContainedSession,
  start: GuardedStart,
  take: () => SnapshotSession,
  ended: () => void,
): SessionOfPlace {
  const end = async () => {
    await session[Symbol.asyncDispose]();
    ended();
  };
  if (start.recovery !== undefined)
    return { ...session, ...start.recovery, ready: Promise.resolve(), [Symbol.asyncDispose]: end };
  let hasEnded = false;
  const snapshot = take();
  snapshot.keep();
  const ready = snapshot.ready.then((state) => {
    if (state.state === "unknown" && !hasEnded)
      start.warn(`no snapshot was taken (${state.because}), so commands that discard files need approval`);
  });
  return {
    ...session,
    ...snapshot,
    snapshot: snapshot.ready,
    ready,
    async [Symbol.asyncDispose]() {
      hasEnded = true;
      await Promise.allSettled([end(), snapshot.end()]);
    },
  };
}

/**
 * Makes what the agent's own sandbox would make for each command: while commands run, a protected path that appears
 * counts as made by one, and is taken away. Returns what removes it again.
 */
function makeMountPoints(workspace: string, names: readonly string[]): () => void {
  const made: string[] = [];
  for (const path of names.map((name) => join(workspace, name)))
    try {
      mkdirSync(path);
      made.push(path);
    } catch {
      // Something is there, a link that leads nowhere too, or nothing can be written here.
    }
  return () => {
    for (const path of made)
      try {
        rmdirSync(path);
      } catch {
        // The agent has removed it, or put something there.
      }
  };
}

const SWITCHED_OFF = {
  contained: false,
  because: "the policy sets sandbox: off",
  fix: "set sandbox: auto in the policy",
} as const;

const HOLDS_NOTHING = {
  contained: false,
  because: "the agent's own sandbox holds nothing",
  fix: "switch the agent's own sandbox off, so that signalbox's is used",
} as const;

function refusal({ because, fix }: { readonly because: string; readonly fix: string }, byFlag: boolean): UserError {
  return new UserError(`a sandbox is required, but there is none: ${because}`, {
    where: byFlag ? "--require-sandbox" : "sandbox of the policy",
    fix,
    exitCode: EXIT.refused,
  });
}

type HeldByAgent = Extract<ContainedStart, { readonly by: "agent" }>;

function heldByAgent(start: GuardedStart, { held, because }: HeldByAgent, isRequired: boolean): SessionPlace {
  const provenAt = new Date().toISOString();
  const containment = { contained: true, form: "agent", by: start.agent, held, provenAt } as const;
  start.warn(because);
  return {
    containment,
    flags: start.flagsWhen?.(true) ?? start.flags,
    isRequired,
    facts: () => ({ ...uncontained(null), contained: true, form: "agent", by: start.agent, held: [...held] }),
  };
}

async function openSession(
  start: GuardedStart,
  { policy, currentPolicy, home, isTainted }: SessionParts,
  { isRequired, onStarting }: { readonly isRequired: boolean; readonly onStarting: () => void },
) {
  const { openContainedSession } = await import("../../sandbox/contained-session.ts");
  return await openContainedSession({
    policy,
    isRequired,
    caller: { session: start.id, agent: start.agent },
    environment: start.env,
    signalboxHome: home,
    network: () => currentPolicy().network,
    isTainted,
    warn: start.warn,
    onStarting,
  });
}

interface Places {
  readonly workspace: string;
  /** The private folder of this run, and the user's signalbox folder. */
  readonly folder: string;
  readonly home: string;
}

/** Refuses a workspace that is too broad, or in which the agent could change the guard's own files. */
export function refuseUnsafe({ workspace, folder, home }: Places): void {
  const wide = unsafeWorkspace(workspace, homedir());
  if (wide !== undefined)
    throw new UserError(wide, {
      where: workspace,
      fix: "start the agent in a project folder, or use --unguarded",
      exitCode: EXIT.refused,
    });
  const own = [realpathSync(folder), existsSync(home) ? realpathSync(home) : home];
  const inside = own.find((place) => isInside(place, workspace));
  if (inside !== undefined)
    throw new UserError("signalbox's own files would be inside the workspace, where the agent can change them", {
      where: inside,
      fix: "set SIGNALBOX_HOME to a folder outside the workspace, or unset it",
      exitCode: EXIT.refused,
    });
}

/**
 * A sandbox rewrites every command before the agent's own rules see it, so signalbox must hold them. With a rule that it
 * cannot read, nothing may be rewritten: the start is uncontained, or refused where a sandbox is required.
 */
export function unreadableRule(
  { unreadable }: OwnRules,
  { required, title }: { readonly required: boolean; readonly title: string },
): Extract<Containment, { readonly contained: false }> | undefined {
  if (unreadable === undefined) return undefined;
  const { rule, where } = unreadable;
  const because = `signalbox cannot read a rule of ${title}'s own, which a rewritten command would bypass: ${rule}`;
  const fix = `write the rule in ${where} in a plain form, or move it into the policy`;
  if (!required) return { contained: false, because: `${because} (${where})`, fix };
  throw new UserError(because, { where, fix: `${fix}, or set "sandbox: off" in the policy`, exitCode: EXIT.refused });
}
