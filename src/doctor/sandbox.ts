import { loadActivePolicy } from "../guard/policy/active-policy.ts";
import { findWorkspace } from "../lib/find-workspace.ts";
import { findBubblewrap } from "../sandbox/find-bubblewrap.ts";
import { sandboxWorks } from "../sandbox/sandbox-works.ts";
import type { CheckResult } from "./check.ts";

/** Whether commands can run in a sandbox. If the policy requires one, it is actually tested. */
export async function checkSandbox(cwd: string, folder: string): Promise<CheckResult> {
  const workspace = findWorkspace(cwd);
  if (!isWanted(workspace, folder)) {
    const program = findBubblewrap(workspace);
    if (program === undefined)
      return {
        id: "sandbox",
        status: "absent",
        summary: "bubblewrap is not installed; the policy does not need it",
      };
    return { id: "sandbox", status: "ok", summary: `${program} is installed; the policy does not need it` };
  }
  const proof = await sandboxWorks(workspace);
  if (proof.works) return { id: "sandbox", status: "ok", summary: `holds: ${proof.bubblewrap}` };
  return {
    id: "sandbox",
    status: "fail",
    summary: `does not work, so no command will run: ${proof.because}`,
    fix: proof.fix,
  };
}

function isWanted(workspaceRoot: string, folder: string): boolean {
  try {
    return loadActivePolicy({ workspaceRoot, folder }).policy.sandbox !== "off";
  } catch {
    // The policy check reports what is wrong with it.
    return false;
  }
}
