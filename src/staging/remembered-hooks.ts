import type { HookEventName } from "../contract/hook-event.ts";
import type { carriedHooks } from "../hooks/project/registration.ts";

/** The hooks of a repository by their event, as its wrappers remember them. One that cannot be started is left away. */
export function rememberedHooks(carried: ReturnType<typeof carriedHooks>) {
  const remembered: Partial<Record<HookEventName, string[]>> = {};
  for (const { event, as, broken } of carried) if (broken === undefined) (remembered[event] ??= []).push(as);
  return remembered;
}
