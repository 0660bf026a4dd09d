import * as z from "zod";
import { ErrorCode } from "./error-code.ts";
import { Json, JsonObject, Timestamp } from "./value.ts";

const Text = z.string();
const TextOrNull = z.string().nullable().default(null);
/** Null and absent mean the same here: the field is omitted. */
const Ext = JsonObject.nullish()
  .transform((value) => value ?? undefined)
  .optional();
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
