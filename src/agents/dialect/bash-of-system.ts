import { existsSync } from "node:fs";
import type { CallShell } from "../../contract/agent-hooks.ts";

/** For agents that run every command in /bin/bash where there is one. */
export const bashOfSystem = (): CallShell | undefined =>
  existsSync("/bin/bash") ? { name: "bash", chosenByModel: false } : undefined;
