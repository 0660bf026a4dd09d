import type { EngineHooks } from "../../engine/hooks.ts";
import { messageOf } from "../../lib/message-of.ts";
import type { Conversation } from "./conversation.ts";

/** Runs hooks that cannot change anything. A failure is only reported as a warning. */
export async function tell(hooks: readonly (() => Promise<unknown>)[], warn: (text: string) => void): Promise<void> {
  for (const hook of hooks) {
    try {
      await hook();
    } catch (error) {
      warn(`a hook failed: ${messageOf(error)}`);
    }
  }
}

/** Tells the hooks that a conversation begins. */
export const tellStart = (hooks: EngineHooks, source: "new" | "resume", warn: (text: string) => void) =>
  tell(
    (hooks.sessionStart ?? []).map((hook) => () => hook({ source })),
    warn,
  );

/** Tells the hooks how a conversation ended. */
export async function tellEnd(
  hooks: EngineHooks,
  conversation: Conversation,
  warn: (text: string) => void,
): Promise<void> {
  const { reason = "answered", because = "" } = conversation.outcome ?? {};
  const event =
    reason === "answered"
      ? ({ reason: "complete" } as const)
      : ({ reason: reason === "aborted" ? "abort" : "error", error: because } as const);
  await tell(
    (hooks.sessionEnd ?? []).map((hook) => () => hook(event)),
    warn,
  );
}
