import { homedir } from "node:os";
import type { Policy } from "../../contract/policy.ts";
import { mergePolicy } from "./merge-policy.ts";

/** The read-only preset by itself: no file of the user or of the workspace adds a grant to it. */
export const readOnlyPolicy = (workspaceRoot: string): Policy =>
  mergePolicy([], { workspaceRoot, home: homedir(), preset: "read-only" });
