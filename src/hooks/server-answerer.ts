import { appendAnchor } from "../guard/audit/anchor.ts";
import { screen } from "../guard/injection/screen.ts";
import { type AnswererParts, openAnswerer, type HookAnswerer } from "./hook-answerer.ts";
import type { HookSettings } from "./hook-settings.ts";
import { livePolicy } from "./live-policy.ts";

/** What answers behind the server of a launch: as the bundle does, but with policies read anew when they change, and an anchored log. */
export function openServerAnswerer(
  settings: HookSettings,
  parts: Pick<AnswererParts, "env" | "warn" | "alsoJudge">,
): HookAnswerer {
  // The first screening of a process costs 25 ms; better now than in somebody's first call.
  screen("ready");
  return openAnswerer({ ...parts, settings, policyFor: livePolicy(settings.folder), screen, anchor: appendAnchor });
}
