import type { AgentPack } from "../agent-pack.ts";
import { claude } from "./program.ts";

export const claudePack: AgentPack = { program: claude };
