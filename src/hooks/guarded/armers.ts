import type { Arm } from "./arm.ts";
import { armClaude } from "./claude.ts";
import { armCodex } from "./codex.ts";
import { armCopilot } from "./copilot.ts";

/** The agents whose tool calls can be held, and how. */
export const armers: Readonly<Record<string, Arm>> = { claude: armClaude, codex: armCodex, copilot: armCopilot };
