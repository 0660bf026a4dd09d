import type { OrderPolicy } from "../../contract/policy-file.ts";
import { judgePathAccess } from "../../guard/judge/judge-access.ts";
import { withOrderPolicy } from "../../guard/policy/compiled-policy.ts";
import type { Policy } from "../../contract/policy.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";

interface Place {
  readonly workspace: string;
  readonly order: OrderPolicy | undefined;
}

/** Tells whether the policy, and that of the work order, let a path be read. The roots are not asked: callers keep to the workspace. */
export function readablePaths(policy: Policy, { workspace, order }: Place): (path: string) => boolean {
  const policies = order === undefined ? [policy] : [policy, withOrderPolicy(policy, order)];
  return (path) =>
    policies.every((one) => {
      const place = { policy: one, machine: realMachine, cwd: workspace, outside: "allow" } as const;
      return !judgePathAccess({ access: "read", path }, place).some(({ verdict }) => verdict === "deny");
    });
}
