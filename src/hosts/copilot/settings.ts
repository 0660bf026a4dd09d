import { toolKind } from "../../guard/judge/tool-call.ts";
import { isRecord, strings } from "../../lib/json/json-value.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { splitWords } from "../../lib/text/shell-words.ts";
import { UserError } from "../../lib/text/user-error.ts";

export type CopilotTransport = "sdk" | "acp" | "legacy";

/** How to reach Copilot, from the environment. The names are those of our predecessor. */
export interface CopilotSettings {
  /** Tried in this order. If there is only one, its own error is reported. */
  readonly transports: readonly CopilotTransport[];
  /** True when the user has set nothing about how to reach Copilot. */
  readonly isUnset: boolean;
  readonly sdkModule: string;
  readonly adapterModule: string | undefined;
  /** A program that takes the request as JSON. */
  readonly runner: readonly string[] | undefined;
  /** The ACP agent: a command, or an address it listens on. */
  readonly acpCommand: readonly string[] | undefined;
  readonly acpUrl: string | undefined;
  readonly acpPort: number | undefined;
  /** Tools about which the user has approved questions in advance. */
  readonly allowAlways: readonly string[];
  /** Whether one of them means this tool, in any agent's spelling. */
  readonly isApproved: (tool: string) => boolean;
}

export const COPILOT_BACKEND = { id: "github_copilot_sdk", backend_version: null, adapter_version: "1" };

/** Copilot behind a program of others, which does not say what it starts. */
export const UNKNOWN_COPILOT = { name: "copilot", version: null, binary_sha256: null };

export function copilotSettings(env: NodeJS.ProcessEnv): CopilotSettings {
  const command = one(env, "ABP_COPILOT_CMD");
  const acpWords = words(env, "ABP_COPILOT_ACP_ARGS");
  const runner = one(env, "ABP_COPILOT_RUNNER");
  const allowAlways = words(env, "ABP_COPILOT_PERMISSION_ALLOW_ALWAYS_TOOLS");
  const program = command === undefined ? undefined : [command, ...words(env, "ABP_COPILOT_ARGS")];
  return {
    transports: transportsOf(env),
    isUnset: !Object.keys(env).some((name) => name.startsWith("ABP_COPILOT_") && one(env, name) !== undefined),
    sdkModule: one(env, "ABP_COPILOT_SDK_MODULE") ?? "@github/copilot-sdk",
    adapterModule: one(env, "ABP_COPILOT_ADAPTER_MODULE"),
    runner: runner === undefined ? program : [runner, ...words(env, "ABP_COPILOT_RUNNER_ARGS")],
    acpCommand:
      command === undefined && acpWords.length === 0
        ? undefined
        : [command ?? "copilot", ...(acpWords.length === 0 ? ["--acp"] : acpWords)],
    acpUrl: one(env, "ABP_COPILOT_ACP_URL"),
    acpPort: portOf(one(env, "ABP_COPILOT_ACP_PORT"), "ABP_COPILOT_ACP_PORT"),
    allowAlways,
    isApproved: (tool) =>
      allowAlways.some((name) => name === tool || (toolKind(name) !== "unknown" && toolKind(name) === toolKind(tool))),
  };
}

/** Whether the environment says how to reach Copilot without its own program. */
export function reachesCopilot(env: NodeJS.ProcessEnv): boolean {
  const { adapterModule, runner, acpCommand, acpUrl, acpPort } = copilotSettings(env);
  return [adapterModule, runner, acpCommand, acpUrl, acpPort].some((setting) => setting !== undefined);
}

const AUTO: readonly CopilotTransport[] = ["sdk", "acp", "legacy"];

function transportsOf(env: NodeJS.ProcessEnv): readonly CopilotTransport[] {
  const name = one(env, "ABP_COPILOT_TRANSPORT") ?? one(env, "ABP_COPILOT_PROTOCOL") ?? "auto";
  if (name === "auto") return AUTO;
  const found = AUTO.find((transport) => transport === name);
  if (found !== undefined) return [found];
  throw new UserError(`unknown transport ${JSON.stringify(name)}`, {
    where: "ABP_COPILOT_TRANSPORT or ABP_COPILOT_PROTOCOL",
    fix: `use one of auto, ${AUTO.join(", ")}`,
  });
}

function one(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === "" ? undefined : value;
}

/** A list: a JSON array of strings, or words. */
function words(env: NodeJS.ProcessEnv, name: string): readonly string[] {
  const text = one(env, name);
  if (text === undefined) return [];
  const list = text.startsWith("[") ? jsonList(text) : splitWords(text);
  if (list !== undefined) return list;
  throw new UserError("invalid list", { where: name, fix: `write a JSON array: ${name}='["--flag"]'` });
}

function jsonList(text: string): readonly string[] | undefined {
  try {
    return strings(parseJson(text));
  } catch {
    return undefined;
  }
}

/** Parses a port number; undefined stays undefined. */
export function portOf(text: string | undefined, where: string): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port > 0 && port < 65_536) return port;
  throw new UserError(`${JSON.stringify(text)} is not a valid port`, { where, fix: "write a number from 1 to 65535" });
}

/** Copilot's own settings in a work order. */
export function vendorSettings(vendor: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { copilot } = vendor;
  return isRecord(copilot) ? copilot : {};
}
