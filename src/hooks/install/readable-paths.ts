import type { OrderPolicy } from "../../contract/policy-file.ts";
import { judgePath } from "../../guard/paths/judge-path.ts";
import { withOrderPolicy } from "../../guard/policy/compile-order.ts";
import type { Policy } from "../../guard/policy/policy.ts";
import { ready } from "../../guard/policy/ready-policy.ts";
import { realWorld } from "../../guard/real-world.ts";

interface Place {
  readonly workspace: string;
  readonly order: OrderPolicy | undefined;
}

/** Tells whether the policy, and that of the work order, let a path be read. The roots are not asked: callers keep to the workspace. */
export function readablePaths(policy: Policy, { workspace, order }: Place): (path: string) => boolean {
  const policies = order === undefined ? [policy] : [policy, withOrderPolicy(policy, order)];
  return (path) =>
    policies.every((one) => {
      const place = { policy: ready(one), world: realWorld, cwd: workspace, otherCwds: [], outside: "allow" } as const;
      return !judgePath({ access: "read", path, glob: false }, place).some(({ verdict }) => verdict === "deny");
    });
}
