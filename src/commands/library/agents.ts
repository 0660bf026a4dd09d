import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deliverPrompt, planDelivery, promptSize } from "../../agents/deliver-prompt.ts";
import { agentNamed } from "../../agents/packs.ts";
import type { Channel, DeliveryMode, DeliveryPlan } from "../../contract/agent.ts";

export { AUTO_THRESHOLD, requestedMode } from "../../agents/deliver-prompt.ts";
export { resolveAgent } from "../../agents/active-agent.ts";
export { openSpillover, SPILL_BYTES, type Spillover } from "../../agents/spillover.ts";
export type { ActiveAgent, AgentName } from "../../contract/agent.ts";
export type { Channel, DeliveryMode, DeliveryPlan } from "../../contract/agent.ts";
export { UserError } from "../../lib/text/user-error.ts";

/** How a prompt would be passed to an agent. Reads and writes nothing. `error` says why nothing could be started. */
export function selectMode(agent: string, requested: DeliveryMode, prompt: string | Buffer): DeliveryPlan {
  return planDelivery(agentNamed(agent, "selectMode"), requested, promptSize(Buffer.from(prompt)));
}

interface DeliveryRequest {
  /** One of the agents' names. */
  readonly agent: string;
  readonly prompt: string | Buffer;
  /** The agent's own flags. */
  readonly flags?: readonly string[];
  /** Says which mode is requested. Default: this process's environment. */
  readonly env?: NodeJS.ProcessEnv;
}

/** An agent's command line with its prompt. Dispose it once the agent has ended. */
export interface DeliveredCommand extends Disposable {
  /** The program's name and its arguments, for `spawn` without a shell. */
  readonly command: readonly [string, ...string[]];
  /** Write all of it to the agent's stdin, then close it. Undefined when the prompt is not passed on stdin. */
  readonly stdin: Buffer | undefined;
  readonly requested: DeliveryMode;
  readonly selected: Channel;
  /** Never contain the prompt. */
  readonly warnings: readonly string[];
}

/** Turns a prompt into an agent's command line. Throws a UserError when the prompt cannot be passed. */
export function deliver({ agent: name, prompt, flags = [], env = process.env }: DeliveryRequest): DeliveredCommand {
  const agent = agentNamed(name, "deliver");
  const folder = mkdtempSync(join(tmpdir(), "signalbox-prompt-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const { argv, stdin, plan } = deliverPrompt({ agent, flags, prompt: Buffer.from(prompt), env, folder });
    if (plan.selected !== "tempfile") remove();
    return {
      command: [agent.binary, ...argv],
      stdin,
      requested: plan.requested,
      selected: plan.selected ?? "argv",
      warnings: plan.warnings,
      [Symbol.dispose]: remove,
    };
  } catch (error) {
    remove();
    throw error;
  }
}
