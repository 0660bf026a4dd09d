import type { HookAnswer } from "../../contract/hook-answer.ts";
import type { HookEventName } from "../../contract/hook-event.ts";
import { findHooks, registerHooks } from "./find-hooks.ts";
import type { HookResult } from "./hook-source.ts";
import { joinOtherAnswers, joinToolAnswers, refusedStop } from "./join-answers.ts";
import { runHook } from "./run-hook.ts";

export interface HookPlace {
  readonly sessionId: string;
  readonly workspace: string;
  /** The user's signalbox folder. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly warn: (text: string) => void;
}

/** Runs the hooks for one session of our own engine. */
export interface SessionHooks {
  /** The strictest of all hooks' answers to a tool call. */
  readonly beforeTool: (payload: object) => Promise<HookAnswer>;
  /** Why the agent may not stop. */
  readonly beforeStop: (payload: object, again: boolean) => Promise<string | undefined>;
  /** The joined answer to any other event. A failed hook only causes a warning. */
  readonly tell: (event: HookEventName, payload: object) => Promise<HookAnswer>;
}

const HOOK_MILLISECONDS = 10_000;

/** The current hooks of the user and of a trusted repository. Undefined when there are none. */
export function openSessionHooks(place: HookPlace): SessionHooks | undefined {
  const { sessionId, workspace, home: folder, environment: env, warn } = place;
  const registered = registerHooks(findHooks({ workspace, folder }), warn);
  if (registered.length === 0) return undefined;
  const run = async (event: HookEventName, payload: object): Promise<readonly HookResult[]> => {
    const stdin = JSON.stringify({ sessionId, timestamp: Date.now(), cwd: workspace, ...payload });
    const results: HookResult[] = [];
    for (const hook of registered) {
      if (hook.event !== event) continue;
      results.push(await runHook(hook, { stdin, workspace, env, milliseconds: HOOK_MILLISECONDS }));
    }
    return results;
  };
  return {
    beforeTool: async (payload) => joinToolAnswers({}, await run("tool-before", payload), "strictest"),
    beforeStop: async (payload, again) => refusedStop(await run("agent-stop", payload), again),
    async tell(event, payload) {
      const results = await run(event, payload);
      for (const result of results)
        if ("failed" in result) warn(`the hook ${result.hook.name} failed: ${result.failed}`);
      return joinOtherAnswers(results);
    },
  };
}
