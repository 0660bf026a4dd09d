import type { ToolDeed, ToolOutput } from "../contract/tool.ts";

/** A successful result. */
export const answer = (text: string, deeds: readonly ToolDeed[] = []): ToolOutput => ({ text, failed: false, deeds });

/** A failed result that says why, and what would work. */
export const failure = (text: string, deeds: readonly ToolDeed[] = []): ToolOutput => ({ text, failed: true, deeds });
