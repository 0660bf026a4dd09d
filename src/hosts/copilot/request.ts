import type { HostJob } from "../../backplane/host.ts";
import { redactJson } from "../../guard/redact/redact.ts";
import { isRecord } from "../../lib/is-record.ts";
import { textOf } from "../../agents/pack/record-fields.ts";
import { isPassthrough } from "../program/compose-prompt.ts";
import { vendorSettings } from "./settings.ts";

/** The request for a third-party adapter or runner. The field names are theirs. Contains no secrets. */
export function copilotRequest(
  { order, runId }: Pick<HostJob, "order" | "runId">,
  prompt: string,
): Readonly<Record<string, unknown>> {
  const vendor = vendorSettings(order.config.vendor);
  const { abp } = order.config.vendor;
  const request = {
    request_id: runId,
    prompt,
    workspace_root: order.workspace.root,
    model: vendor["model"] ?? order.config.model,
    reasoningEffort: vendor["reasoningEffort"] ?? null,
    systemMessage: vendor["systemMessage"] ?? null,
    context: order.context,
    policy: order.policy,
    availableTools: vendor["availableTools"] ?? null,
    excludedTools: vendor["excludedTools"] ?? null,
    mcpServers: mcpServers(vendor),
    streaming: true,
    raw_request: isPassthrough(order.config.vendor) && isRecord(abp) ? (abp["request"] ?? null) : null,
    env: order.config.env,
  };
  const clean = redactJson(request);
  return isRecord(clean) ? clean : {};
}

/** MCP servers by name, from either spelling and either form. */
export function mcpServers(vendor: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const servers = vendor["mcpServers"] ?? vendor["mcp_servers"];
  if (isRecord(servers)) return servers;
  if (!Array.isArray(servers)) return {};
  return Object.fromEntries(
    servers
      .filter(isRecord)
      .map((server, index) => [textOf(server, "name") || textOf(server, "id") || `${index}`, server]),
  );
}
