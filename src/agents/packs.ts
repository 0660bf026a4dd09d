import type { AgentPack } from "./pack/agent-pack.ts";
import { amplifierPack } from "./amplifier/pack.ts";
import { claudePack } from "./claude/pack.ts";
import { codexPack } from "./codex/pack.ts";
import { copilotPack } from "./copilot/pack.ts";
import { geminiPack } from "./gemini/pack.ts";

/** Every agent that can be started, in the order used in all lists. To add an agent, add a line. */
export const PACKS: readonly AgentPack[] = [claudePack, copilotPack, codexPack, geminiPack, amplifierPack];
