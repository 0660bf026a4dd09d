import type { ToolDeed, ToolOutput } from "../contract/tool.ts";

/** A result that the model can build on. */
export const answer = (text: string, deeds: readonly ToolDeed[] = []): ToolOutput => ({ text, failed: false, deeds });

/** A result that says why it did not work, and what would. */
export const failure = (text: string, deeds: readonly ToolDeed[] = []): ToolOutput => ({ text, failed: true, deeds });
