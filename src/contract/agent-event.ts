import * as z from "zod";
import { Json, JsonObject, Timestamp } from "./value.ts";

const Text = z.string();

const TextOrNull = z.string().nullable().default(null);

/** Null and absent mean the same here: the field is omitted. */
const Ext = JsonObject.nullish()
  .transform((value) => value ?? undefined)
  .optional();

/** The contract's error codes. */
export const ErrorCode = z.enum([
  "protocol_invalid_envelope",
  "protocol_handshake_failed",
  "protocol_missing_ref_id",
  "protocol_unexpected_message",
  "protocol_version_mismatch",
  "mapping_unsupported_capability",
  "mapping_dialect_mismatch",
  "mapping_lossy_conversion",
  "mapping_unmappable_tool",
  "backend_not_found",
  "backend_unavailable",
  "backend_timeout",
  "backend_rate_limited",
  "backend_auth_failed",
  "backend_model_not_found",
  "backend_crashed",
  "backend_content_filtered",
  "backend_context_length",
  "execution_tool_failed",
  "execution_workspace_error",
  "execution_permission_denied",
  "contract_version_mismatch",
  "contract_schema_violation",
  "contract_invalid_receipt",
  "capability_unsupported",
  "capability_emulation_failed",
  "policy_denied",
  "policy_invalid",
  "workspace_init_failed",
  "workspace_staging_failed",
  "ir_lowering_failed",
  "ir_invalid",
  "receipt_hash_mismatch",
  "receipt_chain_broken",
  "dialect_unknown",
  "dialect_mapping_failed",
  "config_invalid",
  "rate_limit_exceeded",
  "circuit_breaker_open",
  "stream_closed",
  "receipt_store_failed",
  "validation_failed",
  "sidecar_spawn_failed",
  "internal",
]);

const Code = ErrorCode.nullish()
  .transform((value) => value ?? undefined)
  .optional();

const common = { ts: Timestamp, ext: Ext };

/**
 * Something that happened in a run. The set of kinds is closed: anything the contract has no name for goes in `ext`.
 * Absent `ext` and `error_code` are omitted; every other absent field is null.
 */
export const AgentEvent = z.discriminatedUnion("type", [
  z.object({ ...common, type: z.literal("run_started"), message: Text }),
  z.object({ ...common, type: z.literal("run_completed"), message: Text }),
  z.object({ ...common, type: z.literal("assistant_delta"), text: Text }),
  z.object({ ...common, type: z.literal("assistant_message"), text: Text }),
  z.object({
    ...common,
    type: z.literal("tool_call"),
    tool_name: Text,
    tool_use_id: TextOrNull,
    parent_tool_use_id: TextOrNull,
    input: Json,
  }),
  z.object({
    ...common,
    type: z.literal("tool_result"),
    tool_name: Text,
    tool_use_id: TextOrNull,
    output: Json,
    is_error: z.boolean(),
  }),
  z.object({ ...common, type: z.literal("file_changed"), path: Text, summary: Text }),
  z.object({
    ...common,
    type: z.literal("command_executed"),
    command: Text,
    exit_code: z.int32().nullable().default(null),
    output_preview: TextOrNull,
  }),
  z.object({ ...common, type: z.literal("warning"), message: Text }),
  z.object({ ...common, type: z.literal("error"), message: Text, error_code: Code }),
]);

export type AgentEvent = z.infer<typeof AgentEvent>;

/** The input form of an event; `AgentEvent.parse` fills in absent fields. */
export type AgentEventInput = z.input<typeof AgentEvent>;

type WithoutTime<Event> = Event extends unknown ? Omit<Event, "ts"> : never;

/** An event with the current time. */
export function newEvent(fields: WithoutTime<AgentEventInput>): AgentEvent {
  return AgentEvent.parse({ ...fields, ts: new Date().toISOString() });
}

/** The `ext` of a result whose call the agent itself turned down, so that it never ran. */
export const REFUSED_BY_AGENT = { refused_by: "agent" };

export const isRefusedByAgent = ({ type, ext }: AgentEvent): boolean =>
  type === "tool_result" && ext?.["refused_by"] === "agent";

/** The two events for a call that was denied. */
export function deniedEvents(
  call: { readonly tool: string; readonly id?: string | undefined },
  because: string,
): AgentEvent[] {
  return [
    newEvent({ type: "warning", message: `tool denied: ${because} (${call.tool})` }),
    newEvent({
      type: "tool_result",
      tool_name: call.tool,
      tool_use_id: call.id ?? null,
      output: { denied: true, reason: because },
      is_error: true,
    }),
  ];
}

export type ErrorCode = z.infer<typeof ErrorCode>;
