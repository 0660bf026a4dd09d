import type { AgentPack } from "../agent-pack.ts";
import { codex } from "./program.ts";

export const codexPack: AgentPack = { program: codex };
