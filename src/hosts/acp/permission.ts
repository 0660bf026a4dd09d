import type { PermissionOption, RequestPermissionResponse } from "@agentclientprotocol/sdk";

interface PermissionDecision {
  readonly allowed: boolean;
  readonly because: string;
}

/**
 * The answer to a permission request. A denial cancels if there is no reject option. An approval is never for more than
 * this call, because the agent would not ask about the next one; without an "allow once" option it becomes a denial. The
 * fields next to `outcome` are for agents that use an older format.
 */
export function permissionAnswer(
  options: readonly PermissionOption[],
  { allowed, because }: PermissionDecision,
): RequestPermissionResponse {
  const wanted = allowed ? ["allow_once"] : ["reject_once", "reject_always"];
  const found = wanted.flatMap((kind) => options.filter((option) => option.kind === kind))[0];
  const granted = allowed && found !== undefined;
  const decision = granted ? "allow_once" : "reject";
  const older = { decision, approved: granted, approval: decision, action: decision, reason: because };
  return found === undefined
    ? { outcome: { outcome: "cancelled" }, ...older }
    : { outcome: { outcome: "selected", optionId: found.optionId }, ...older };
}
