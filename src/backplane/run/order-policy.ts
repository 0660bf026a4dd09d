import type { OrderPolicy } from "../../contract/policy-file.ts";
import type { WorkOrder } from "../../contract/work-order.ts";
import { parseHostPattern } from "../../lib/host-pattern.ts";
import { hasGlobFlaw } from "../../lib/glob.ts";
import { UserError } from "../../lib/user-error.ts";
import { pathFilter, readOrderGlob } from "../workspace/order-glob.ts";

/**
 * The rules of a work order in the guard's own form. Every entry must have a meaning: one that is dropped
 * would allow what it was written to forbid.
 */
export function readOrderPolicy(order: WorkOrder): OrderPolicy {
  const { policy, workspace } = order;
  pathFilter(workspace.include, workspace.exclude);
  for (const list of ["allow_network", "deny_network"] as const)
    policy[list].forEach((entry) => checkHost(entry, list));
  for (const list of ["allowed_tools", "disallowed_tools", "require_approval_for"] as const)
    policy[list].forEach((entry) => checkTool(entry, list));
  const globs = (list: "deny_read" | "deny_write") =>
    policy[list].flatMap((entry) => readOrderGlob(entry, `policy.${list}`));
  return { ...policy, deny_read: globs("deny_read"), deny_write: globs("deny_write") };
}

function checkHost(entry: string, list: string): void {
  try {
    parseHostPattern(entry);
  } catch (cause) {
    throw new UserError(
      `the host ${JSON.stringify(entry)} cannot be read: ${cause instanceof Error ? cause.message : ""}`,
      {
        where: `policy.${list}`,
        fix: "write x, *.x or **.x with at least two labels, an address, or a block",
        cause,
      },
    );
  }
}

function checkTool(entry: string, list: string): void {
  if (entry.trim() !== "" && !hasGlobFlaw(entry)) return;
  throw new UserError(`the tool ${JSON.stringify(entry)} cannot be read`, {
    where: `policy.${list}`,
    fix: "write a name, with * where anything may stand",
  });
}
