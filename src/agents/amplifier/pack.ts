import type { AgentPack } from "../agent-pack.ts";
import { amplifier } from "./program.ts";

export const amplifierPack: AgentPack = { program: amplifier };
