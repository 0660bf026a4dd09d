import type { HookEventName } from "../contract/hook-event.ts";
import type { carriedHooks } from "../hooks/project/registration.ts";

/** A repository's hooks by event, as recorded in its wrappers. Leaves out hooks that cannot be started. */
export function rememberedHooks(carried: ReturnType<typeof carriedHooks>) {
  const remembered: Partial<Record<HookEventName, string[]>> = {};
  for (const { event, as, broken } of carried) if (broken === undefined) (remembered[event] ??= []).push(as);
  return remembered;
}
