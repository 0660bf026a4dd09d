import { AgentEvent } from "../../contract/agent-event.ts";
import type { RedactOptions } from "../../guard/redact/redact.ts";
import { redactJson } from "../receipts/redact-json.ts";
import type { Artifact, ArtifactStore } from "./artifacts.ts";
import { messageOf } from "../../lib/message-of.ts";

/** Outputs above this size become files beside the receipt. */
const MAX_INLINE = 8192;

interface Keeper {
  readonly secrets: RedactOptions;
  readonly artifacts: Pick<ArtifactStore, "write">;
}

/** An event as the receipt keeps it: without secrets, and with a large output in a file of its own. */
export function keepableEvent(event: AgentEvent, { secrets, artifacts }: Keeper): AgentEvent {
  const clean = AgentEvent.parse(redactJson(event, secrets));
  if (clean.type === "tool_result") {
    const text = typeof clean.output === "string" ? clean.output : JSON.stringify(clean.output);
    if (Buffer.byteLength(text) <= MAX_INLINE) return clean;
    const kept = putAside(text, clean.tool_name, artifacts);
    return { ...clean, output: kept.shown, ext: { ...clean.ext, ...kept.ext } };
  }
  if (clean.type === "command_executed" && Buffer.byteLength(clean.output_preview ?? "") > MAX_INLINE) {
    const kept = putAside(clean.output_preview ?? "", "command", artifacts);
    return { ...clean, output_preview: kept.shown, ext: { ...clean.ext, ...kept.ext } };
  }
  return clean;
}

interface PutAside {
  /** What stands in the place of the output: the path, or its beginning when no file could be made. */
  readonly shown: string;
  readonly ext: Readonly<Record<string, unknown>>;
}

function putAside(text: string, name: string, artifacts: Pick<ArtifactStore, "write">): PutAside {
  try {
    const artifact: Artifact = artifacts.write("tool_output", `${name}.txt`, text);
    return { shown: artifact.path, ext: { artifact } };
  } catch (error) {
    const why = messageOf(error);
    return { shown: text.slice(0, MAX_INLINE / 4), ext: { output_cut: `${Buffer.byteLength(text)} bytes; ${why}` } };
  }
}
