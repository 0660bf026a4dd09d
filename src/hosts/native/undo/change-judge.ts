import type { Policy } from "../../../contract/policy.ts";
import type { ModelCall } from "../../../contract/tool-call.ts";
import { decide } from "../../../guard/decide-and-record.ts";
import { realMachine } from "../../../guard/machine/real-machine.ts";
import { readOnlyPolicy } from "../../../guard/policy/active-policy.ts";

/** Tools that change nothing in the workspace. Any other is denied in plan mode. */
export const READING_TOOLS = new Set(
  "read grep glob fetch web_search todo ask_user report_intent signalbox_docs skill read_bash stop_bash lsp task read_task mcp_search".split(
    " ",
  ),
);

/** Whether a call could change files of the workspace. A command is judged as if there were no sandbox. */
export function changeJudge(workspace: string): (call: Pick<ModelCall, "name" | "input">) => boolean {
  let policy: Policy | undefined;
  return ({ name, input }) => {
    if (READING_TOOLS.has(name) || name === "store_memory") return false;
    if (name !== "bash") return true;
    policy ??= readOnlyPolicy(workspace);
    return decide({ tool: name, input, cwd: workspace }, policy, realMachine).verdict !== "allow";
  };
}
