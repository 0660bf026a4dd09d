import * as z from "zod";

/** What a host may be able to do, using the contract's names. */
export const Capability = z.enum([
  "streaming",
  "tool_read",
  "tool_write",
  "tool_edit",
  "tool_bash",
  "tool_glob",
  "tool_grep",
  "tool_web_search",
  "tool_web_fetch",
  "tool_ask_user",
  "hooks_pre_tool_use",
  "hooks_post_tool_use",
  "session_resume",
  "session_fork",
  "checkpointing",
  "structured_output_json_schema",
  "mcp_client",
  "mcp_server",
  "tool_use",
  "extended_thinking",
  "image_input",
  "pdf_input",
  "code_execution",
  "logprobs",
  "seed_determinism",
  "stop_sequences",
  "function_calling",
  "vision",
  "audio",
  "json_mode",
  "system_message",
  "temperature",
  "top_p",
  "top_k",
  "max_tokens",
  "frequency_penalty",
  "presence_penalty",
  "cache_control",
  "batch_mode",
  "embeddings",
  "image_generation",
]);
export type Capability = z.infer<typeof Capability>;

/** How well a host supports a capability. */
export const SupportLevel = z.union([
  z.enum(["native", "emulated", "unsupported"]),
  z.strictObject({ restricted: z.object({ reason: z.string() }) }),
]);
export type SupportLevel = z.infer<typeof SupportLevel>;

/**
 * What one host can do. The set of names is closed: the original implementation cannot read a receipt that contains any
 * other.
 */
export const Capabilities = z.partialRecord(Capability, SupportLevel);
export type Capabilities = z.infer<typeof Capabilities>;

/**
 * What a work order needs. `emulated` is satisfied by native, emulated and restricted; `any` by everything except
 * absence.
 */
export const Requirement = z.strictObject({
  capability: Capability,
  min_support: z.enum(["native", "emulated", "any"]),
});
export type Requirement = z.infer<typeof Requirement>;

/** What every coding agent with a stream of events and tools of its own can do. */
export const CODING_AGENT: Capabilities = {
  streaming: "native",
  tool_read: "native",
  tool_write: "native",
  tool_edit: "native",
  tool_bash: "native",
  tool_glob: "native",
  tool_grep: "native",
};
