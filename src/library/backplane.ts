import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import type { OpenHost } from "../backplane/host.ts";
import { type RunLimits, type RunParts, USUAL_LIMITS } from "../backplane/run/run-parts.ts";
import type { WorkOrder } from "../contract/work-order.ts";
import { commandScreen } from "../screen/screen-command.ts";
import { screen } from "../screen/screen.ts";
import { loadActivePolicy } from "../guard/policy/active-policy.ts";
import { findWorkspace } from "../lib/find-workspace.ts";
import { realMachine } from "../guard/machine/real-machine.ts";
import { secretValues } from "../guard/redact/redact.ts";
import { namedHost } from "../hosts/named/named-host.ts";
import { systemProcesses } from "../hosts/program/system-processes.ts";
import { signalboxHome } from "../lib/home-folder.ts";

export type { Host, HostJob, HostPlace, OpenHost } from "../backplane/host.ts";
export type { HostEnd } from "../contract/host-end.ts";
export type { RunEnd, RunParts, RunStep } from "../backplane/run/run-parts.ts";
export { recoverRuns } from "../backplane/run/recover-runs.ts";
export { runWorkOrder } from "../backplane/run/run-work-order.ts";
export type { AgentEvent } from "../contract/agent-event.ts";
export type { Receipt } from "../contract/receipt.ts";
export type { WorkOrder } from "../contract/work-order.ts";
export { sidecarHost } from "../hosts/sidecar/sidecar.ts";

type Changes = { readonly [Part in keyof WorkOrder]?: Partial<WorkOrder[Part]> };

/** A complete work order for a task: in place and without its own rules, unless the options say otherwise. */
export function newWorkOrder(task: string, changes: Omit<Changes, "id" | "task" | "lane"> = {}): WorkOrder {
  const nothing: string[] = [];
  return {
    id: randomUUID(),
    task,
    lane: "workspace_first",
    workspace: { root: ".", mode: "pass_through", include: nothing, exclude: nothing, ...changes.workspace },
    context: { files: nothing, snippets: [], ...changes.context },
    policy: {
      allowed_tools: nothing,
      disallowed_tools: nothing,
      deny_read: nothing,
      deny_write: nothing,
      allow_network: nothing,
      deny_network: nothing,
      require_approval_for: nothing,
      ...changes.policy,
    },
    requirements: { required: [], ...changes.requirements },
    config: { model: null, vendor: {}, env: {}, max_budget_usd: null, max_turns: null, ...changes.config },
  };
}

interface Options {
  /** The name of an agent, or your own host. */
  readonly agent: string | OpenHost;
  readonly cwd?: string;
  readonly accept?: readonly string[];
  readonly limits?: Partial<RunLimits>;
  readonly signal?: AbortSignal;
  readonly env?: NodeJS.ProcessEnv;
}

/** Everything that `runWorkOrder` needs, chosen as `signalbox run` would on this machine. */
export async function machineParts(options: Options): Promise<RunParts> {
  const { agent, env = process.env } = options;
  const cwd = resolve(options.cwd ?? ".");
  const home = signalboxHome(env);
  return {
    agent: typeof agent === "string" ? agent : "host",
    openHost: typeof agent === "string" ? (await namedHost(agent, env)).openHost : agent,
    home,
    cwd,
    version: manifest.version,
    processes: systemProcesses(env),
    secrets: { values: secretValues(env) },
    policy: loadActivePolicy({ workspaceRoot: findWorkspace(cwd), folder: home }).policy,
    world: { ...realMachine, screen: commandScreen(screen) },
    accept: options.accept ?? [],
    limits: { ...USUAL_LIMITS, ...options.limits },
    signal: options.signal ?? new AbortController().signal,
  };
}
