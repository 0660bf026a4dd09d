import type { AgentPack } from "../agent-pack.ts";
import { copilot } from "./program.ts";

export const copilotPack: AgentPack = { program: copilot };
