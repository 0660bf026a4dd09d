import { realpathSync } from "node:fs";
import { findPack } from "../../agents/registry.ts";
import type { Policy } from "../../contract/policy.ts";
import { isTrusted, readTrust } from "../../guard/policy/trust.ts";
import { endAll } from "../../lib/end-all.ts";
import { findWorkspace } from "../../lib/find-workspace.ts";
import { signalboxHome } from "../../lib/home-folder.ts";
import type { LaunchSandbox } from "../launch-sandbox.ts";
import { currentPolicy } from "../live-policy.ts";
import type { Guard, GuardedStart } from "./guarded-start.ts";
import { launchSettings } from "./launch-settings.ts";
import { openHooks } from "./open-hooks.ts";
import { readablePaths } from "./readable-paths.ts";
import { refuseRewriting, refuseUnsafe } from "./refuse-unsafe.ts";

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
  if (policy.sandbox !== "off")
    refuseRewriting(agent, { ...start, order: start.order, workspace, level: policy.sandbox, agent: pack.program });
  const sandbox = policy.sandbox === "off" ? undefined : await openSandbox(policy, start);
  const trusted = readTrust(home);
  const trusting = {
    trusts: (path: string, text: string) => isTrusted(trusted, path, text),
    staged: start.staged ?? (() => false),
  };
  const facts = agent.factsOf?.({ ...start, workspace, ...trusting }) ?? {};
  const settings = launchSettings(start, { workspace, folder: home, facts, sandbox: sandbox?.program });
  const hooks = await openHooks(start, settings);
  const installed = await agent.install({
    ...start,
    ...trusting,
    env: hooks.env,
    wrapper: hooks.wrapper,
    workspace,
    home,
    trusted,
    trustedFiles: facts.trustedFiles,
    mayRead: readablePaths(policy, { workspace, order: start.order }),
  });
  start.onInstalled?.(hooks);
  return {
    ...installed,
    load: hooks.load,
    heard: hooks.heard,
    [Symbol.dispose]() {
      const dispose = () => sandbox?.[Symbol.dispose]();
      endAll([hooks.stopServer, hooks.closeAnswerer, () => installed.end?.(), dispose], start.warn);
    },
  };
}

async function openSandbox(policy: Policy, { folder, env }: GuardedStart): Promise<LaunchSandbox> {
  const { launchSandbox } = await import("../launch-sandbox.ts");
  return await launchSandbox(policy, folder, env["PATH"]);
}
