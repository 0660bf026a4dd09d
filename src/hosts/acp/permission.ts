import type { PermissionOption, RequestPermissionResponse } from "@agentclientprotocol/sdk";

interface Answered {
  readonly allowed: boolean;
  /** The person wants the agent not to ask for this tool again. */
  readonly always: boolean;
  readonly because: string;
}

/**
 * The answer to an agent's question. A denial without an option to say so cancels; a grant without one for this once
 * denies. The fields beside `outcome` are for agents of an older form.
 */
export function permissionAnswer(options: readonly PermissionOption[], answer: Answered): RequestPermissionResponse {
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
