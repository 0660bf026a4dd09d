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

/**
 * Why calls were blocked, as long as the model has not heard it. A permission answer of ACP carries no reason: the agent
 * tells its model that the user rejected the call, and some end the turn.
 */
export interface BlockedCalls {
  readonly add: (because: string) => void;
  readonly isEmpty: () => boolean;
  /** Notes a call that the agent announces or asks about. After a new one, the model has gone on without the blocked. */
  readonly see: (callId: string) => void;
  /** The prompt that tells the model. Undefined if there is nothing to tell. */
  readonly takePrompt: () => string | undefined;
}

export function openBlockedCalls(): BlockedCalls {
  const reasons: string[] = [];
  // Calls that were made together are announced before the agent asks about any of them.
  const seen = new Set<string>();
  return {
    add: (because) => void reasons.push(because),
    isEmpty: () => reasons.length === 0,
    see(callId) {
      if (!seen.has(callId)) reasons.length = 0;
      seen.add(callId);
    },
    takePrompt() {
      const told = reasons.splice(0);
      if (told.length === 0) return undefined;
      const what = told.length === 1 ? "a call" : `${told.length} calls`;
      return `signalbox blocked ${what} by its rules; the user rejected nothing. ${told.join(" ")} Continue the task another way. If that is not possible, say so.`;
    },
  };
}
