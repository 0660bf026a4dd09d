import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import type { OpenHost } from "../../src/receipts/host.ts";
import {
  type RunEnd,
  type RunLimits,
  type RunSetup,
  type RunStep,
  USUAL_LIMITS,
} from "../../src/receipts/run/run-setup.ts";
import { runWorkOrder } from "../../src/receipts/run/run-work-order.ts";
import type { WorkOrder } from "../../src/contract/work-order.ts";
import { mergePolicy } from "../../src/guard/policy/merge-policy.ts";
import { realMachine } from "../../src/guard/machine/real-machine.ts";
import { mockHost } from "../../src/hosts/mock.ts";
import { systemProcesses } from "../../src/hosts/program/system-processes.ts";
import { repositoryWith } from "./git-repository.ts";
import { tempFolder } from "./temp-folder.ts";

interface Given {
  readonly root: string;
  readonly home?: string;
  readonly script?: readonly unknown[];
  /** One script of the mock for each round. */
  readonly scripts?: readonly (readonly unknown[])[];
  readonly rounds?: number;
  readonly staged?: boolean;
  readonly accept?: readonly string[];
  readonly openHost?: OpenHost;
  readonly limits?: Partial<RunLimits>;
  readonly signal?: AbortSignal;
  readonly policy?: Partial<WorkOrder["policy"]>;
  readonly required?: WorkOrder["requirements"]["required"];
  readonly env?: Record<string, string>;
}

/** A whole work order for a folder. */
export function workOrder({ root, script, scripts, staged, policy, required, env }: Given): WorkOrder {
  return {
    id: randomUUID(),
    task: "do it",
    lane: "patch_first",
    workspace: { root, mode: staged === true ? "staged" : "pass_through", include: [], exclude: [] },
    context: { files: [], snippets: [] },
    policy: {
      allowed_tools: [],
      disallowed_tools: [],
      deny_read: [],
      deny_write: [],
      allow_network: [],
      deny_network: [],
      require_approval_for: [],
      ...policy,
    },
    requirements: { required: [...(required ?? [])] },
    config: {
      model: null,
      vendor: scripts !== undefined ? { mock: { rounds: scripts } } : script === undefined ? {} : { mock: { script } },
      env: env ?? {},
      max_budget_usd: null,
      max_turns: null,
    },
  };
}

/** Everything a run needs, with the mock as its host unless another is given. */
export function runParts(given: Given): RunSetup {
  return {
    agent: "mock",
    openHost: given.openHost ?? mockHost(process.env),
    home: given.home ?? tempFolder(),
    cwd: given.root,
    version: "0.0.0",
    // Checks of tests that are about something else need no sandbox.
    policy: { ...mergePolicy([], { workspaceRoot: given.root, home: homedir() }), sandbox: "off" },
    world: realMachine,
    secrets: {},
    accept: given.accept ?? [],
    rounds: given.rounds,
    limits: { ...USUAL_LIMITS, ...given.limits },
    signal: given.signal ?? new AbortController().signal,
    processes: systemProcesses(process.env),
  };
}

/** Runs an order to its end, in a small repository unless another folder is given. */
export async function runOrder({ root = repositoryWith({ "a.txt": "a\n" }), ...more }: Partial<Given>): Promise<{
  readonly steps: RunStep[];
  readonly end: RunEnd;
  readonly home: string;
}> {
  const given = { ...more, root };
  const parts = runParts(given);
  const steps = await Array.fromAsync(runWorkOrder(workOrder(given), parts));
  const end = steps.at(-1);
  if (end?.type !== "run-end") throw new Error("the run did not end with run-end");
  return { steps, end, home: parts.home };
}
