import { appendAnchor } from "../guard/audit/anchor.ts";
import { screen } from "../screen/screen.ts";
import { type AnswererOptions, deduplicateEvents, knownSessionsOnly, openAnswerer } from "./answer.ts";
import type { HookSettings } from "./hook-settings.ts";
import { livePolicy } from "./live-policy.ts";
import type { RequestAnswerer } from "./server.ts";
import { noLog, warmUp } from "./warm-up.ts";

/** The agent has started by then, and nobody waits. */
const WARM_AFTER_MS = 400;

/** What answers behind the server of a launch: as the bundle does, but with policies read anew when they change, and an anchored log. */
export function openLaunchAnswerer(
  settings: HookSettings,
  options: Pick<AnswererOptions, "env" | "warn" | "alsoJudge">,
): RequestAnswerer {
  const { env, warn, alsoJudge } = options;
  const common = { ...livePolicy(settings.folder), env, warn, screen };
  const answerer = openAnswerer({ ...common, alsoJudge, settings, anchor: appendAnchor });
  const ending = new AbortController();
  const warming = setTimeout(() => {
    const alone = openAnswerer({ ...common, settings: { ...settings, hooks: [] }, log: () => noLog });
    // Whatever is wrong is said by the first real call.
    warmUp(alone, ending.signal).catch(() => {});
  }, WARM_AFTER_MS);
  warming.unref();
  return {
    answer: knownSessionsOnly(deduplicateEvents(answerer.answer)),
    [Symbol.dispose]() {
      clearTimeout(warming);
      ending.abort();
      answerer[Symbol.dispose]();
    },
  };
}
