import type { ToolOutput } from "../contract/tool.ts";
import type { ToolDeed } from "../contract/tool-call.ts";

/** A successful result. */
export const answer = (text: string, deeds: readonly ToolDeed[] = []): ToolOutput => ({ text, failed: false, deeds });

/** A failed result that says why, and what would work. */
export const failure = (text: string, deeds: readonly ToolDeed[] = []): ToolOutput => ({ text, failed: true, deeds });
