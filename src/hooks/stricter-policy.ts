import type { Policy } from "../contract/policy.ts";
import type { HookSettings } from "./hook-settings.ts";

const MADE = new WeakMap<Policy, { readonly settings: HookSettings; readonly policy: Policy }>();

/** A policy made stricter by what the launch fixed. Made once for each, because its patterns are compiled with it. */
export function stricterPolicy(policy: Policy, settings: HookSettings): Policy {
  const known = MADE.get(policy);
  if (known?.settings === settings) return known.policy;
  const made = make(policy, settings);
  MADE.set(policy, { settings, policy: made });
  return made;
}

function make(policy: Policy, { folder, interactive, deniedTools, closed }: HookSettings): Policy {
  const shut = closed.flatMap((place) => [place, `${place}/**`]);
  return {
    ...policy,
    interactive: policy.interactive && interactive,
    tools: { ...policy.tools, deny: [...policy.tools.deny, ...deniedTools] },
    paths: {
      ...policy.paths,
      denyRead: [...policy.paths.denyRead, ...shut],
      denyWrite: [...policy.paths.denyWrite, ...shut, folder, `${folder}/**`],
    },
  };
}
