import type { AgentHooks } from "../../contract/agent-hooks.ts";
import { bashOfSystem } from "../dialect/bash-of-system.ts";
import { geminiDialect } from "./dialect.ts";

export const geminiHooks: AgentHooks = { dialect: geminiDialect, shellOf: bashOfSystem };
