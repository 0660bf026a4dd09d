import { AgentEvent } from "../../contract/agent-event.ts";
import { type Capabilities, Capability, SupportLevel } from "../../contract/capability.ts";
import type { LooseReceipt } from "../../contract/loose-receipt.ts";
import { ArtifactRef, ExecutionMode, Outcome, Usage } from "../../contract/receipt.ts";
import { type HostEnd, NO_USAGE } from "../host.ts";
import { newEvent } from "../new-event.ts";

/** An event of a host. One that the contract does not know is kept as data in a warning: nothing is lost. */
export function readEvent(value: unknown): AgentEvent {
  const parsed = AgentEvent.safeParse(value);
  if (parsed.success) return parsed.data;
  return newEvent({ type: "warning", message: "the host sent an event of another kind", ext: { raw_event: value } });
}

/** The capabilities of a host that we know; names that are not of the contract come back beside them. */
export function readCapabilities(given: Readonly<Record<string, unknown>>): { known: Capabilities; unknown: string[] } {
  const known: Capabilities = {};
  const unknown: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    const [capability, level] = [Capability.safeParse(name), SupportLevel.safeParse(value)];
    if (capability.success && level.success) known[capability.data] = level.data;
    else unknown.push(name);
  }
  return { known, unknown };
}

/** What a host's receipt says beyond what we saw. An outcome of its own making is a failure. */
export function readEnd(receipt: LooseReceipt): HostEnd {
  const outcome = Outcome.safeParse(receipt.outcome);
  const mode = ExecutionMode.safeParse(receipt.mode);
  const usage = Usage.safeParse(receipt.usage ?? {});
  return {
    outcome: outcome.success ? outcome.data : "failed",
    mode: mode.success ? mode.data : "mapped",
    usage: usage.success ? usage.data : NO_USAGE,
    usageRaw: receipt.usage_raw ?? null,
    artifacts: (receipt.artifacts ?? []).flatMap((entry) => {
      const parsed = ArtifactRef.safeParse(entry);
      return parsed.success ? [parsed.data] : [];
    }),
  };
}
