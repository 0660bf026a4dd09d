import { realpathSync } from "node:fs";
import { findPack } from "../../agents/packs.ts";
import type { AgentInstall } from "../../contract/agent-install.ts";
import type { OrderPolicy, Policy } from "../../contract/policy.ts";
import { judgePathAccess } from "../../guard/access/judge-access.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { withOrderPolicy } from "../../guard/policy/compiled-policy.ts";
import { isTrusted, readTrust } from "../../guard/policy/trust.ts";
import { readTaint } from "../../guard/taint-store.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { findWorkspace } from "../../lib/path/workspace.ts";
import { endAll } from "../../lib/process/tasks.ts";
import { compiledPolicy } from "../hook-context.ts";
import { currentPolicy, policyState } from "../live-policy.ts";
import { unplantedPath } from "../outside-call.ts";
import { containmentSettings, containSession, refuseUnsafe, type SessionPlace } from "./contain-session.ts";
import type { Guard, GuardedStart } from "./guarded-start.ts";
import { launchSettings, openHooks } from "./open-hooks.ts";

/** Sets up everything that guards an agent's tool calls before it starts. Throws when they cannot be guarded. */
export async function prepareGuard(start: GuardedStart): Promise<Guard> {
  const pack = findPack(start.agent);
  const agent = await pack?.install?.();
  if (pack === undefined || agent === undefined) throw new Error(`${start.agent} has no hooks to guard it with`);
  const home = signalboxHome(start.env);
  const workspace = findWorkspace(realpathSync(start.cwd));
  refuseUnsafe({ workspace, folder: start.folder, home });
  // The bundle cannot parse YAML, so the compiled policy must exist before the agent starts.
  const policy = await currentPolicy(home, workspace);
  const sessions = new Set<string>();
  const place = await containSession(start, {
    agent,
    title: pack.program.title,
    policy,
    currentPolicy: livePolicyOf(home, workspace, policy),
    workspace,
    home,
    isTainted: () => [...sessions].some((session) => readTaint(home, session) !== undefined),
  });
  try {
    return await installHooks(start, { agent, home, workspace, policy, place, sessions });
  } catch (error) {
    await place.session?.[Symbol.asyncDispose]();
    throw error;
  }
}

/** Whether the policy of a folder wants commands in a sandbox. */
export async function sandboxMode(cwd: string, env: NodeJS.ProcessEnv): Promise<Policy["sandbox"]> {
  return (await currentPolicy(signalboxHome(env), findWorkspace(realpathSync(cwd)))).sandbox;
}

interface PlacedStart {
  readonly agent: AgentInstall;
  readonly home: string;
  readonly workspace: string;
  readonly policy: Policy;
  readonly place: SessionPlace;
  /** Conversations of this launch, by the agent's ids. */
  readonly sessions: Set<string>;
}

/** The agent runs outside the sandbox, and looks for git and others on PATH. Commands inside keep the user's own. */
function withSafePath(env: NodeJS.ProcessEnv, folders: readonly string[]): NodeJS.ProcessEnv {
  const safe = unplantedPath(folders, env);
  return safe === undefined ? env : { ...env, PATH: safe };
}

async function installHooks(start: GuardedStart, parts: PlacedStart): Promise<Guard> {
  const { agent, home, workspace, policy, place, sessions } = parts;
  const { session, ownRules, flags } = place;
  const trusted = readTrust(home);
  const trusts = (path: string, text: string) => isTrusted(trusted, path, text);
  const trusting = { trusts, staged: start.staged ?? (() => false) };
  const facts = agent.factsOf?.({ ...start, flags, workspace, ...trusting }) ?? {};
  const ownHooks = agent.ownHooks?.({ ...start, flags, workspace, trustedFiles: facts.trustedFiles }) ?? [];
  const settings = launchSettings(start, { workspace, folder: home, facts, ownHooks, ...containmentSettings(place) });
  const containment = session && { ...session, saw: (id: string) => void sessions.add(id) };
  let conversation: string | undefined;
  const talked = (id: string) => void (conversation = id);
  const hooks = await openHooks({ ...start, ownRules, session: containment, talked }, settings);
  const mayRead = readablePaths(policy, { workspace, order: start.order });
  const installed = await agent.install({
    ...start,
    ...trusting,
    flags,
    env: session === undefined ? hooks.env : withSafePath(hooks.env, [workspace, ...policy.paths.writeRoots]),
    wrapper: hooks.wrapper,
    workspace,
    home,
    trusted,
    trustedFiles: facts.trustedFiles,
    contained: session !== undefined,
    mayRead,
    given: start.texts?.({ workspace, home, mayRead, trusts, warn: start.warn }),
  });
  start.onInstalled?.({ ...hooks, containment: place.containment });
  return {
    ...installed,
    load: hooks.load,
    heard: hooks.heard,
    conversation: () => conversation,
    policy,
    snapshot: session?.snapshot,
    containment: place.facts,
    async [Symbol.asyncDispose]() {
      endAll([hooks.stopServer, hooks.closeAnswerer, () => installed.end?.()], start.warn);
      // Whoever removes its folders next must not meet a program that still writes there.
      await session?.[Symbol.asyncDispose]();
    },
  };
}

/** The policy as it is now. Where it cannot be read any more, no host is open. */
function livePolicyOf(home: string, workspace: string, first: Policy): () => Policy {
  let known = { policy: first, state: policyState(home, workspace) };
  return () => {
    const state = policyState(home, workspace);
    if (state === known.state) return known.policy;
    try {
      known = { policy: compiledPolicy(home, workspace), state };
    } catch {
      // Every call is denied while the policy is broken, until a hook has compiled it again.
      return { ...first, network: { ...first.network, mode: "none" } };
    }
    return known.policy;
  };
}

interface Place {
  readonly workspace: string;
  readonly order: OrderPolicy | undefined;
}

/** Whether the policy and the work order's policy allow reading a path. Ignores the roots: callers stay in the workspace. */
export function readablePaths(policy: Policy, { workspace, order }: Place): (path: string) => boolean {
  const policies = order === undefined ? [policy] : [policy, withOrderPolicy(policy, order)];
  return (path) =>
    policies.every((one) => {
      const place = { policy: one, machine: realMachine, cwd: workspace, outside: "allow" } as const;
      return !judgePathAccess({ access: "read", path }, place).some(({ verdict }) => verdict === "deny");
    });
}
