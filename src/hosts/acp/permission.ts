import type { PermissionOption, RequestPermissionResponse } from "@agentclientprotocol/sdk";

interface PermissionDecision {
  readonly allowed: boolean;
  /** The user does not want to be asked about this tool again. */
  readonly always: boolean;
  readonly because: string;
}

/**
 * The answer to a permission request. A denial cancels if there is no reject option. An approval without an "allow
 * once" option becomes a denial. The fields next to `outcome` are for agents that use an older format.
 */
export function permissionAnswer(
  options: readonly PermissionOption[],
  answer: PermissionDecision,
): RequestPermissionResponse {
  const { allowed, always, because } = answer;
  const wanted = allowed
    ? always
      ? ["allow_always", "allow_once"]
      : ["allow_once"]
    : ["reject_once", "reject_always"];
  const found = wanted.flatMap((kind) => options.filter((option) => option.kind === kind))[0];
  const granted = allowed && found !== undefined;
  const decision = granted ? (found.kind === "allow_always" ? "allow_always" : "allow_once") : "reject";
  const older = { decision, approved: granted, approval: decision, action: decision, reason: because };
  return found === undefined
    ? { outcome: { outcome: "cancelled" }, ...older }
    : { outcome: { outcome: "selected", optionId: found.optionId }, ...older };
}
