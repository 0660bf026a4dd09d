import { appendAnchor } from "../guard/audit/anchor.ts";
import { screen } from "../screen/screen.ts";
import { type AnswererOptions, deduplicateEvents, knownSessionsOnly, openAnswerer } from "./answer.ts";
import type { HookSettings } from "./hook-settings.ts";
import { livePolicy } from "./live-policy.ts";
import type { RequestAnswerer } from "./server.ts";
import { noLog, warmUp } from "./warm-up.ts";

/** By then the agent has started, and nothing is waiting for us. */
const WARM_AFTER_MS = 400;

/** Answers calls for a launch's server. Like the bundle, but it reloads changed policies and anchors its log. */
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
    // The first real call will report the problem.
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
