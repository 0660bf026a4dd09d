import { loadActivePolicy } from "../guard/policy/active-policy.ts";
import { findWorkspace } from "../lib/find-workspace.ts";
import type { CheckResult } from "./check.ts";
import { messageOf } from "../lib/message-of.ts";

/** Whether this folder's policy can be read, and which files it consists of. */
export function checkPolicy(cwd: string, folder: string): CheckResult {
  try {
    const { policy, files } = loadActivePolicy({ workspaceRoot: findWorkspace(cwd), folder });
    const untrusted = files.filter((file) => !file.trusted).map((file) => file.path);
    const made = files.length === 0 ? "the default preset" : files.map((file) => file.path).join(", ");
    if (untrusted.length === 0)
      return { id: "policy", status: "ok", summary: `compiles: ${made}`, facts: { hash: policy.hash ?? "none" } };
    const summary = `compiles: ${made}; not trusted, so it can only add restrictions: ${untrusted.join(", ")}`;
    return { id: "policy", status: "warn", summary, fix: "read it, then run: signalbox trust" };
  } catch (error) {
    const summary = messageOf(error);
    return { id: "policy", status: "fail", summary, fix: "fix the file; until then every call is blocked" };
  }
}
