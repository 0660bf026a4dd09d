import type { OrderPolicy } from "../../contract/policy-file.ts";
import { judgePathAccess } from "../../guard/judge/judge-access.ts";
import { withOrderPolicy } from "../../guard/policy/compiled-policy.ts";
import type { Policy } from "../../contract/policy.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";

interface Place {
  readonly workspace: string;
  readonly order: OrderPolicy | undefined;
}

/** Whether the policy and the work order's policy allow reading a path. Ignores the roots: callers stay in the workspace. */
export function readablePaths(policy: Policy, { workspace, order }: Place): (path: string) => boolean {
  const policies = order === undefined ? [policy] : [policy, withOrderPolicy(policy, order)];
  return (path) =>
    policies.every((one) => {
      const place = { policy: one, machine: realMachine, cwd: workspace, outside: "allow" } as const;
      return !judgePathAccess({ access: "read", path }, place).some(({ verdict }) => verdict === "deny");
    });
}
