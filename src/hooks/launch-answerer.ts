import { findDialect } from "../agents/find-dialect.ts";
import { appendAnchor } from "../guard/audit/anchor.ts";
import { screen } from "../screen/screen.ts";
import { type AnswererOptions, openAnswerer } from "./answer.ts";
import { deduplicateEvents } from "./deduplicate-events.ts";
import type { HookSettings } from "./hook-settings.ts";
import { knownSessionsOnly } from "./known-sessions.ts";
import { missingHooks } from "./project/registration.ts";
import { openLaterQuestions, SECOND } from "./second-hook.ts";
import { livePolicy } from "./live-policy.ts";
import type { RequestAnswerer } from "./server.ts";
import { noLog, warmUp } from "./warm-up.ts";

/** By then the agent has started, and nothing is waiting for us. */
const WARM_AFTER_MS = 400;

/** Answers calls for a launch's server. Like the bundle, but it reloads changed policies and anchors its log. */
export function openLaunchAnswerer(
  settings: HookSettings,
  options: Pick<AnswererOptions, "env" | "warn" | "alsoJudge" | "answered" | "ownRules" | "session" | "talked">,
): RequestAnswerer {
  const { env, warn, alsoJudge, answered, ownRules, session, talked } = options;
  const common = { ...livePolicy(settings.folder), env, warn, screen, ownRules, session };
  const dialect = findDialect(settings.agent);
  const questions = dialect.askDropsInput && settings.interactive ? openLaterQuestions(dialect) : undefined;
  const answerer = openAnswerer({ ...common, alsoJudge, answered, talked, settings, questions, anchor: appendAnchor });
  const answer = deduplicateEvents(answerer.answer);
  const ending = new AbortController();
  const warming = setTimeout(() => {
    const alone = openAnswerer({ ...common, settings: { ...settings, hooks: [] }, log: () => noLog });
    // The first real call will report the problem.
    warmUp(alone, ending.signal).catch(() => {});
  }, WARM_AFTER_MS);
  warming.unref();
  return {
    answer: knownSessionsOnly(async (request) => {
      if (request.via === SECOND && questions !== undefined) return questions.answer(request);
      const { event, remembered = [] } = request;
      const places = { workspace: settings.workspace ?? "", folder: settings.folder };
      // The launch does not know a hook that was already gone when it started. Without an answer, the wrapper denies.
      if (remembered.length > 0 && missingHooks(remembered, places, { env, event }).length > 0)
        throw new Error("a staged hook is missing");
      return await answer(request);
    }),
    [Symbol.dispose]() {
      clearTimeout(warming);
      ending.abort();
      answerer[Symbol.dispose]();
    },
  };
}
