import type { Policy } from "../../../contract/policy.ts";
import type { Permit } from "../../../contract/tool.ts";
import { judge } from "../../../guard/judge/judge.ts";
import { toolKind } from "../../../guard/judge/tool-kind.ts";
import { realMachine } from "../../../guard/machine/real-machine.ts";
import { presetPolicy } from "../../../guard/policy/compiled-policy.ts";

const LOOKING: ReadonlySet<string> = new Set(["read", "glob", "grep", "plan"]);

/** Lets only calls pass that look at things; the guard judges those as always. */
export function readOnlyPermit(permit: Permit, policy: Policy): Permit {
  const lookingOnly = presetPolicy("read-only", policy);
  return async (call, signal) => {
    const kind = toolKind(call.name);
    const isAllowed =
      kind === "shell"
        ? judge({ tool: call.name, input: call.input }, lookingOnly, realMachine).verdict === "allow"
        : LOOKING.has(kind) || call.name === "lsp";
    if (isAllowed) return await permit(call, signal);
    return { verdict: "deny", because: "this sub-agent may only look at things, and this call could change something" };
  };
}
