import type { OrderPolicy } from "../../contract/policy-file.ts";
import { parseHostPattern } from "../network/host-pattern.ts";
import type { Policy } from "./policy.ts";

/** Adds the policy of a work order to the one that holds on this machine. It restricts; its hosts and tools narrow what was open. */
export function withOrderPolicy(policy: Policy, order: OrderPolicy): Policy {
  for (const entry of [...order.allow_network, ...order.deny_network]) parseHostPattern(entry);
  const hosts = order.allow_network.length > 0;
  return {
    ...policy,
    tools: {
      allow: order.allowed_tools.length > 0 ? order.allowed_tools : policy.tools.allow,
      deny: [...policy.tools.deny, ...order.disallowed_tools],
      ask: [...policy.tools.ask, ...order.require_approval_for],
      otherwise: order.allowed_tools.length > 0 ? "deny" : policy.tools.otherwise,
    },
    paths: {
      ...policy.paths,
      denyRead: [...policy.paths.denyRead, ...order.deny_read],
      denyWrite: [...policy.paths.denyWrite, ...order.deny_write],
    },
    network: {
      ...policy.network,
      mode: hosts && policy.network.mode === "any" ? "allowlist" : policy.network.mode,
      allow: hosts ? order.allow_network : policy.network.allow,
      deny: [...policy.network.deny, ...order.deny_network],
      unlisted: hosts ? "deny" : policy.network.unlisted,
    },
  };
}
