import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { type AgentEvent, newEvent } from "../contract/agent-event.ts";
import type { Capabilities } from "../contract/capability.ts";
import { type HostEnd, NO_USAGE, Usage } from "../contract/receipt.ts";
import type { WorkOrder } from "../contract/work-order.ts";
import { commandEnvironment } from "../launch/child-environment.ts";
import { isRecord } from "../lib/json/json-value.ts";
import { endTree } from "../lib/process/end-tree.ts";
import { messageOf, UserError } from "../lib/text/user-error.ts";
import { decideOrAsk, type HostJob, type OpenHost, ProtocolError } from "../receipts/host.ts";

export const MOCK_BACKEND = { id: "mock", backend_version: "1", adapter_version: "1" };

export const MOCK_CAPABILITIES: Capabilities = {
  streaming: "native",
  tool_read: "native",
  tool_write: "native",
  tool_bash: "native",
  hooks_pre_tool_use: "native",
  seed_determinism: "native",
};

/** A host that plays a script, for tests and for people who write their own host. Every call waits for the guard. */
export const mockHost =
  (env: NodeJS.ProcessEnv): OpenHost =>
  async ({ env: added, runId }) => ({
    backend: MOCK_BACKEND,
    capabilities: MOCK_CAPABILITIES,
    agent: { name: "mock", version: "1", binary_sha256: null },
    holds: true,
    run: (job) => play(job, commandEnvironment({ ...env, ...added }, runId)),
    async [Symbol.asyncDispose]() {},
  });

async function* play(job: HostJob, env: NodeJS.ProcessEnv): AsyncGenerator<AgentEvent, HostEnd> {
  const state = { usage: NO_USAGE, calls: 0 };
  for (const step of mockScript(job.order, job.followUp?.round ?? 1)) {
    if (job.signal.aborted) return finished("partial", state.usage);
    if ("say" in step) yield newEvent({ type: "assistant_message", text: step.say });
    else if ("end" in step) return finished(step.end, state.usage);
    else if ("crash" in step) throw new ProtocolError(step.crash);
    else if ("wait_ms" in step) await sleep(step.wait_ms, undefined, { signal: job.signal }).catch(() => undefined);
    else if ("usage" in step) {
      state.usage = Usage.parse(step.usage);
      yield newEvent({ type: "assistant_message", text: "", ext: { usage: step.usage } });
    } else yield* callTool(step, job, `mock-${++state.calls}`, env);
  }
  return finished(job.signal.aborted ? "partial" : "complete", state.usage);
}

const finished = (outcome: HostEnd["outcome"], usage: Usage): HostEnd => ({
  outcome,
  mode: "mapped",
  usage,
  usageRaw: usage,
});

type CallStep = Exclude<
  MockStep,
  { say: string } | { end: string } | { crash: string } | { wait_ms: number } | { usage: object }
>;

async function* callTool(step: CallStep, job: HostJob, id: string, env: NodeJS.ProcessEnv): AsyncGenerator<AgentEvent> {
  const { tool, input, work } = toolOf(step, job.order.workspace.root, env);
  const { verdict } = await decideOrAsk(job, { tool, input, id });
  yield newEvent({ type: "tool_call", tool_name: tool, tool_use_id: id, input });
  if (verdict !== "allow") return;
  // Cancelling does not wait for a command; its processes are ended with it.
  const end = () => void endTree({ id: job.runId });
  job.signal.addEventListener("abort", end, { once: true });
  const { output, failed } = await work();
  job.signal.removeEventListener("abort", end);
  yield newEvent({ type: "tool_result", tool_name: tool, tool_use_id: id, output, is_error: failed });
}

type Work = () => Promise<{ readonly output: string; readonly failed: boolean }>;

function toolOf(step: CallStep, root: string, env: NodeJS.ProcessEnv): { tool: string; input: unknown; work: Work } {
  if ("bash" in step)
    return { tool: "bash", input: { command: step.bash }, work: () => runShell(step.bash, root, env) };
  if ("write" in step) {
    const { write: path, content } = step;
    return {
      tool: "write",
      input: { path, content },
      work: () => attempt(() => (writeFileSync(resolve(root, path), content), "written")),
    };
  }
  if ("read" in step)
    return {
      tool: "read",
      input: { path: step.read },
      work: () => attempt(() => readFileSync(resolve(root, step.read), "utf8")),
    };
  return { tool: step.call, input: step.input, work: async () => ({ output: "", failed: false }) };
}

async function attempt(work: () => string): Promise<{ output: string; failed: boolean }> {
  try {
    return { output: work(), failed: false };
  } catch (error) {
    return { output: messageOf(error), failed: true };
  }
}

async function runShell(
  command: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<{ output: string; failed: boolean }> {
  return await new Promise((resolve) =>
    execFile("/bin/sh", ["-c", command], { cwd, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve({ output: stdout + stderr, failed: error !== null }),
    ),
  );
}

const Step = z.union([
  z.strictObject({ say: z.string() }),
  /** A shell command, run by `sh` in the workspace if the guard allows it. */
  z.strictObject({ bash: z.string() }),
  z.strictObject({ write: z.string(), content: z.string() }),
  z.strictObject({ read: z.string() }),
  /** Any other call: judged and reported, but without effect. */
  z.strictObject({ call: z.string(), input: z.unknown() }),
  z.strictObject({ wait_ms: z.int().min(0).max(600_000) }),
  z.strictObject({ usage: z.record(z.string(), z.number()) }),
  z.strictObject({ end: z.enum(["complete", "partial", "failed"]) }),
  z.strictObject({ crash: z.string() }),
]);

type MockStep = z.infer<typeof Step>;

const Script = z.array(Step).max(10_000);

const Scripts = z.array(Script).min(1).max(100);

/**
 * The mock's script: `config.vendor.mock.script`, the one of this round in `rounds`, where the last is played again, or
 * a single answer that repeats the task.
 */
function mockScript(order: WorkOrder, round: number): readonly MockStep[] {
  const { mock } = order.config.vendor;
  const { script, rounds } = isRecord(mock) ? mock : {};
  if (rounds !== undefined) {
    const scripts = parsed(Scripts, rounds, "rounds");
    return scripts[Math.min(round, scripts.length) - 1] ?? [];
  }
  return script === undefined ? [{ say: `mock: ${order.task}` }] : parsed(Script, script, "script");
}

function parsed<Value>(schema: z.ZodType<Value>, value: unknown, name: string): Value {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw new UserError(`cannot read the mock's script: ${z.prettifyError(read.error)}`, {
    where: `config.vendor.mock.${name}`,
    fix: "see docs/backplane.md for the steps",
  });
}
