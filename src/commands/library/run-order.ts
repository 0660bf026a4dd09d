import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import manifest from "../../../package.json" with { type: "json" };
import type { OpenHost } from "../../receipts/host.ts";
import {
  MAX_ROUNDS,
  type OnApproval,
  type RunEnd,
  type RunLimits,
  type RunSetup,
  type RunStep,
  USUAL_LIMITS,
} from "../../receipts/run/run-setup.ts";
import { runWorkOrder } from "../../receipts/run/run-work-order.ts";
import type { Policy } from "../../contract/policy.ts";
import type { WorkOrder } from "../../contract/work-order.ts";
import { loadActivePolicy } from "../../guard/policy/active-policy.ts";
import { secretValues } from "../../guard/redact.ts";
import { namedHost } from "../../hosts/named-host.ts";
import { refuseUncontained } from "../../hosts/program/program.ts";
import { systemProcesses } from "../../hosts/program/system-processes.ts";
import { findWorkspace } from "../../lib/path/workspace.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { UserError } from "../../lib/text/user-error.ts";
import { screenedMachine } from "../screened-machine.ts";
import { refuseDeepSession } from "../../lib/process/inside-session.ts";

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

export interface RunOptions {
  /** The name of an agent, or your own host. */
  readonly agent: string | OpenHost;
  readonly cwd?: string;
  readonly accept?: readonly string[];
  /** How many times the agent may try until `accept` succeeds, 1 to 100; 1 by default. */
  readonly rounds?: number;
  readonly limits?: Partial<RunLimits>;
  readonly signal?: AbortSignal;
  readonly env?: NodeJS.ProcessEnv;
  /**
   * Answers for the user where the rules ask for approval. Without it, such a call is denied. Hosts that hold calls by
   * hooks (claude, codex, gemini, copilot's own program) and native deny them in any case.
   */
  readonly onApproval?: OnApproval;
}

/**
 * Everything that `runWorkOrder` needs, chosen as `signalbox run` would on this machine. Throws a UserError if the rules
 * of the workspace, which is `root` in `cwd`, do not let the agent begin.
 */
export async function machineParts(options: RunOptions, root = "."): Promise<RunSetup> {
  const { agent, env = process.env } = options;
  const cwd = resolve(options.cwd ?? ".");
  const home = signalboxHome(env);
  refuseDeepSession(env, () => {});
  const { policy } = loadActivePolicy({ workspaceRoot: findWorkspace(resolve(cwd, root)), folder: home });
  return {
    agent: typeof agent === "string" ? agent : "host",
    openHost: typeof agent === "string" ? await hostFor(agent, env, policy) : agent,
    home,
    cwd,
    version: manifest.version,
    processes: systemProcesses(env),
    secrets: { values: secretValues(env) },
    policy,
    world: screenedMachine,
    accept: options.accept ?? [],
    rounds: roundsOf(options),
    limits: { ...USUAL_LIMITS, ...options.limits },
    signal: options.signal ?? new AbortController().signal,
    onApproval: options.onApproval,
  };
}

function roundsOf({ rounds = 1, accept = [] }: RunOptions): number {
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > MAX_ROUNDS)
    throw new UserError(`rounds must be a whole number from 1 to ${MAX_ROUNDS}`, {
      where: "rounds",
      fix: "for example 3",
    });
  if (rounds === 1 || accept.length > 0) return rounds;
  throw new UserError("rounds need a check that decides whether the work is done", {
    where: "rounds",
    fix: 'pass one, for example accept: ["npm test"]',
  });
}

async function hostFor(agent: string, env: NodeJS.ProcessEnv, policy: Policy): Promise<OpenHost> {
  const { openHost, uncontainable } = await namedHost(agent, env);
  if (uncontainable !== undefined) refuseUncontained(agent, uncontainable, policy);
  return openHost;
}

/** How a run ended, and the agent's last words. */
export interface OrderResult extends Omit<RunEnd, "type"> {
  readonly text: string;
}

/** A run that starts when it is first read. Read its steps, or wait for its result. */
export interface OrderRun extends AsyncIterable<RunStep> {
  /** Runs to the end. Throws a UserError if the order cannot begin. */
  readonly result: () => Promise<OrderResult>;
}

/** Runs a work order, or a task in the current folder, as `signalbox run` would. */
export function runOrder(order: WorkOrder | string, options: RunOptions): OrderRun {
  const whole = typeof order === "string" ? newWorkOrder(order) : order;
  async function* steps(): AsyncGenerator<RunStep> {
    yield* runWorkOrder(whole, await machineParts(options, whole.workspace.root));
  }
  return { [Symbol.asyncIterator]: steps, result: () => resultOf(steps()) };
}

async function resultOf(steps: AsyncIterable<RunStep>): Promise<OrderResult> {
  let text = "";
  let end: RunEnd | undefined;
  for await (const step of steps) {
    if (step.type === "run-end") end = step;
    if (step.type === "event" && step.event.type === "assistant_message" && step.event.text !== "")
      ({ text } = step.event);
  }
  if (end === undefined) throw new Error("the run ended without a receipt");
  const { type: _type, ...rest } = end;
  return { ...rest, text };
}
