import { realpathSync } from "node:fs";
import { join } from "node:path";
import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import { readBounded } from "../../lib/files/read-file.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { isInside } from "../../lib/path/inside.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import type { Decide, HostJob } from "../../receipts/host.ts";

const MAX_FILE_BYTES = 128 * 1024;

const MAX_BYTES = 512 * 1024;

/**
 * The task with the order's snippets and the content of its files. A file is read only if the rules allow it. The
 * warnings say what could not be passed to the agent, and why.
 */
export function composePrompt({ order, judge, followUp }: HostJob): { text: string; warnings: AgentEvent[] } {
  const { files, snippets } = order.context;
  const warnings: AgentEvent[] = [];
  const request = passthroughPrompt(order.config.vendor);
  const parts = request === undefined ? [order.task] : [request, ...(followUp === undefined ? [] : [followUp.prompt])];
  for (const { name, content } of snippets) parts.push(section("snippet", name, content));
  let left = MAX_BYTES;
  for (const path of files) {
    const context = readContext(path, order.workspace.root, judge, left);
    if ("because" in context)
      warnings.push(newEvent({ type: "warning", message: `${path} was not passed to the agent: ${context.because}` }));
    else {
      left -= Buffer.byteLength(context.text);
      parts.push(section("file", path, context.text));
    }
  }
  return { text: parts.join("\n\n"), warnings };
}

const section = (kind: string, name: string, content: string) => `The ${kind} ${JSON.stringify(name)}:\n${content}`;

function readContext(path: string, root: string, judge: Decide, left: number): { text: string } | { because: string } {
  const { verdict, because } = judge({ tool: "read", input: { path } });
  if (verdict !== "allow") return { because };
  try {
    const real = realpathSync(join(root, path));
    if (!isInside(real, realpathSync(root))) return { because: "it is a link out of the workspace" };
    const { bytes } = readBounded(real, Math.min(MAX_FILE_BYTES, left));
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch (error) {
    return { because: messageOf(error) };
  }
}

/** The contract's own vendor settings, in either spelling. */
function contractSetting(vendor: Readonly<Record<string, unknown>>, name: string): unknown {
  const { abp } = vendor;
  return (isRecord(abp) ? abp[name] : undefined) ?? vendor[`abp.${name}`];
}

export const isPassthrough = (vendor: Readonly<Record<string, unknown>>) =>
  contractSetting(vendor, "mode") === "passthrough";

/** In passthrough mode, `show` adds to an event the message that it was made of. */
export function openMode({ order }: HostJob) {
  const isPassed = isPassthrough(order.config.vendor);
  const show = (event: AgentEvent, raw: unknown): AgentEvent =>
    isPassed && raw !== undefined ? { ...event, ext: { ...event.ext, raw_message: raw } } : event;
  return { mode: isPassed ? ("passthrough" as const) : ("mapped" as const), show };
}

/** In passthrough mode, the order's request replaces the task. */
function passthroughPrompt(vendor: Readonly<Record<string, unknown>>): string | undefined {
  if (!isPassthrough(vendor)) return undefined;
  const request = contractSetting(vendor, "request");
  if (typeof request === "string") return request;
  return isRecord(request) && typeof request["prompt"] === "string" ? request["prompt"] : undefined;
}

/** Says that a round goes on without the conversation of the round before. */
export function notResumed(agent: string, why: string): AgentEvent {
  const [reason = ""] = why.trim().split("\n");
  const message = `${agent} could not resume its session (${reason}), so it gets the task again, with what was done and the failed check`;
  return newEvent({ type: "warning", message });
}
