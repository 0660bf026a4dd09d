import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { textOf } from "../../agents/pack/records.ts";
import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import type { WorkOrder } from "../../contract/work-order.ts";
import { redactJson } from "../../guard/redact.ts";
import { isRecord, strings } from "../../lib/json/json-value.ts";
import type { Host, HostJob } from "../../receipts/host.ts";
import { isPassthrough } from "../program/compose-prompt.ts";
import { vendorSettings } from "./settings.ts";

/** What an order wants of a session of Copilot. Undefined where it says nothing. */
export interface SessionSettings {
  readonly model: string | undefined;
  readonly reasoningEffort: string | undefined;
  /** A text to append, or an object in the SDK's form. */
  readonly systemMessage: unknown;
  readonly availableTools: readonly string[] | undefined;
  readonly excludedTools: readonly string[] | undefined;
  /** By name, in Copilot's form. */
  readonly mcpServers: Readonly<Record<string, unknown>>;
  /** An earlier session to continue. */
  readonly sessionId: string | undefined;
  readonly provider: unknown;
  /** Settings that no way of reaching Copilot takes: unknown names, and values that are not what they should be. */
  readonly unusable: readonly string[];
}

const NAMES = {
  text: ["model", "reasoningEffort", "sessionId", "session_id"],
  list: ["availableTools", "excludedTools"],
  any: ["systemMessage", "mcpServers", "mcp_servers", "provider", "flags"],
} as const;

/** Reads `config.vendor.copilot` of an order, and its model. */
export function sessionSettings({ config }: WorkOrder): SessionSettings {
  const vendor = vendorSettings(config.vendor);
  const text = (name: string) => textOf(vendor, name) || undefined;
  const list = (name: string) => (vendor[name] === undefined ? undefined : strings(vendor[name]));
  const isUsable = (name: string, value: unknown) =>
    NAMES.text.some((known) => known === name)
      ? typeof value === "string"
      : NAMES.list.some((known) => known === name)
        ? strings(value) !== undefined
        : NAMES.any.some((known) => known === name);
  return {
    model: text("model") ?? config.model ?? undefined,
    reasoningEffort: text("reasoningEffort"),
    systemMessage: vendor["systemMessage"] ?? undefined,
    availableTools: list("availableTools"),
    excludedTools: list("excludedTools"),
    mcpServers: mcpServers(vendor),
    sessionId: text("sessionId") ?? text("session_id"),
    provider: vendor["provider"] ?? undefined,
    unusable: Object.entries(vendor)
      .filter(([name, value]) => value !== null && value !== undefined && !isUsable(name, value))
      .map(([name]) => name),
  };
}

/** A host, and the order's settings that it could not be given. */
export interface OpenedWay {
  readonly host: Host;
  readonly missed: readonly string[];
}

/** What a start of Copilot's own program passes on: by flags, by variables, and what it cannot. */
interface PassedSettings {
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly missed: readonly string[];
}

/** Passes settings to Copilot's own program. A text for the system prompt becomes a file in a private folder. */
export function programSettings(settings: SessionSettings, folder: string, env: NodeJS.ProcessEnv): PassedSettings {
  const { model, reasoningEffort, availableTools, excludedTools } = settings;
  const servers = settings.mcpServers;
  const text = appendedText(settings.systemMessage);
  return {
    flags: [
      ...(model === undefined ? [] : ["--model", model]),
      ...(reasoningEffort === undefined ? [] : ["--reasoning-effort", reasoningEffort]),
      ...(availableTools === undefined ? [] : [`--available-tools=${availableTools.join(",")}`]),
      ...(excludedTools === undefined ? [] : [`--excluded-tools=${excludedTools.join(",")}`]),
      ...(Object.keys(servers).length === 0 ? [] : ["--additional-mcp-config", `@${serversFile(servers, folder)}`]),
    ],
    env: text === undefined ? {} : { [INSTRUCTIONS]: instructionFolders(text, folder, env) },
    missed: [
      ...(settings.systemMessage !== undefined && text === undefined
        ? ["systemMessage (can only be appended to)"]
        : []),
      ...(settings.provider === undefined ? [] : ["provider (set COPILOT_PROVIDER_* instead)"]),
      ...settings.unusable,
    ],
  };
}

/** Everything that a peer gets that we did not start ourselves, or whose flags we do not know. */
export function unpassable(settings: SessionSettings, ours: readonly (keyof SessionSettings)[]): readonly string[] {
  const { unusable, mcpServers: servers, ...others } = settings;
  const wanted = { ...others, mcpServers: Object.keys(servers).length === 0 ? undefined : servers };
  const missed = Object.entries(wanted).filter(
    ([name, value]) => value !== undefined && !ours.some((own) => own === name),
  );
  return [...missed.map(([name]) => name), ...unusable];
}

/** A warning that names what a session does not get. */
export const missedWarning = (missed: readonly string[], transport: string): readonly AgentEvent[] =>
  missed.length === 0
    ? []
    : [
        newEvent({
          type: "warning",
          message: `not passed on to Copilot over ${transport}: ${missed.join(", ")}`,
          ext: { not_passed_on: [...missed] },
        }),
      ];

const INSTRUCTIONS = "COPILOT_CUSTOM_INSTRUCTIONS_DIRS";

/** The text of a system message that only adds to Copilot's own. */
function appendedText(message: unknown): string | undefined {
  if (typeof message === "string") return message;
  if (!isRecord(message) || (message["mode"] ?? "append") !== "append") return undefined;
  return typeof message["content"] === "string" ? message["content"] : undefined;
}

/** A file, because the servers' variables may be secret, and anyone can read the flags of a process. */
function serversFile(servers: Readonly<Record<string, unknown>>, folder: string): string {
  const complete = Object.entries(servers).map(([name, server]) => {
    const type = isRecord(server) && typeof server["url"] === "string" ? "http" : "local";
    return [name, { type, tools: ["*"], ...(isRecord(server) ? server : {}) }];
  });
  const file = join(folder, "mcp-servers.json");
  writeFileSync(file, JSON.stringify({ mcpServers: Object.fromEntries(complete) }), { mode: 0o600 });
  return file;
}

/** Of such a folder, Copilot reads only `.github/instructions`, and puts what applies to all files into its prompt. */
function instructionFolders(text: string, folder: string, env: NodeJS.ProcessEnv): string {
  const own = join(folder, "instructions");
  mkdirSync(join(own, ".github/instructions"), { recursive: true, mode: 0o700 });
  const file = join(own, ".github/instructions/order.instructions.md");
  writeFileSync(file, `---\napplyTo: "**"\n---\n\n${text}\n`, { mode: 0o600 });
  return [env[INSTRUCTIONS] ?? "", own].filter((path) => path !== "").join(",");
}

/** The request for a third-party adapter or runner. The field names are theirs. Contains no secrets. */
export function copilotRequest({ order, runId }: HostJob, prompt: string): Readonly<Record<string, unknown>> {
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
function mcpServers(vendor: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const servers = vendor["mcpServers"] ?? vendor["mcp_servers"];
  if (isRecord(servers)) return servers;
  if (!Array.isArray(servers)) return {};
  return Object.fromEntries(
    servers
      .filter(isRecord)
      .map((server, index) => [textOf(server, "name") || textOf(server, "id") || `${index}`, server]),
  );
}
