import type { HookOutput } from "../hook-answer.ts";
import type { HookSettings } from "../hook-settings.ts";
import { judgeOnce } from "../judge-once.ts";
import { sameSession } from "../same-session.ts";
import type { HookRequest } from "../server.ts";
import type { GuardedStart } from "./guarded-start.ts";

/** Answers as soon as its parts are loaded; callers wait until then. */
export function lateAnswerer(settings: HookSettings, { env, warn, alsoJudge }: GuardedStart) {
  let close = () => {};
  let heard = false;
  let loading: Promise<(request: HookRequest) => Promise<HookOutput>> | undefined;
  const load = async () => {
    const { openServerAnswerer } = await import("../server-answerer.ts");
    const answerer = openServerAnswerer(settings, { env, warn, alsoJudge });
    close = () => answerer[Symbol.dispose]();
    return sameSession(judgeOnce(answerer.answer, () => performance.now()));
  };
  return {
    load: async () => void (await (loading ??= load())),
    answer: async (request: HookRequest) => {
      heard = true;
      return await (
        await (loading ??= load())
      )(request);
    },
    heard: () => heard,
    close: () => close(),
  };
}
