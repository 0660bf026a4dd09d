import type { HookAnswer, HookEventName } from "../../contract/hook-event.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { findHooks, type HookResult, type RegisteredHook, registerHooks } from "./find-hooks.ts";
import { joinOtherAnswers, joinToolAnswers, refusedStop } from "./join-answers.ts";
import { type HookChange, readChange } from "./hook-io.ts";
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
  /** Why the agent, or a sub-agent, may not stop. */
  readonly beforeStop: (event: StopEvent, payload: object, again: boolean) => Promise<string | undefined>;
  /**
   * The joined answer to any other event. A hook that changes the prompt or the result is followed by hooks that see the
   * change. A failed hook only causes a warning.
   */
  readonly tell: (event: HookEventName, payload: object) => Promise<HookAnswer>;
}

type StopEvent = Extract<HookEventName, "agent-stop" | "subagent-stop">;

const HOOK_MILLISECONDS = 10_000;

/** The current hooks of the user and of a trusted repository. Undefined when there are none. */
export function openSessionHooks(place: HookPlace): SessionHooks | undefined {
  const { sessionId, workspace, home: folder, environment: env, warn } = place;
  const registered = registerHooks(findHooks({ workspace, folder }), warn);
  if (registered.length === 0) return undefined;
  const runOne = (hook: RegisteredHook, payload: object): Promise<HookResult> => {
    const stdin = JSON.stringify({ sessionId, timestamp: Date.now(), cwd: workspace, ...payload });
    return runHook(hook, { stdin, workspace, env, milliseconds: HOOK_MILLISECONDS });
  };
  const run = async (event: HookEventName, payload: object): Promise<readonly HookResult[]> => {
    const results: HookResult[] = [];
    for (const hook of registered) if (hook.event === event) results.push(await runOne(hook, payload));
    return results;
  };
  return {
    beforeTool: async (payload) => joinToolAnswers({}, await run("tool-before", payload), "strictest"),
    beforeStop: async (event, payload, again) => refusedStop(await run(event, payload), again),
    async tell(event, payload) {
      const results: HookResult[] = [];
      let change: HookChange = {};
      for (const hook of registered) {
        if (hook.event !== event) continue;
        const result = await runOne(hook, changed(payload, change));
        results.push(result);
        const { unclear, ...next } = "failed" in result ? { unclear: result.failed } : readChange(event, result.said);
        if (unclear !== undefined) warn(`the hook ${hook.name} failed: ${unclear}`);
        change = joinChanges(change, next);
      }
      return { ...joinOtherAnswers(results), ...change };
    },
  };
}

const joinChanges = (one: HookChange, next: HookChange): HookChange => ({
  ...one,
  ...next,
  ...(one.result === undefined || next.result === undefined ? {} : { result: { ...one.result, ...next.result } }),
});

/** The payload as the hooks so far have changed it. */
function changed(payload: object, { prompt, result }: HookChange): object {
  if (prompt !== undefined) return { ...payload, prompt };
  if (result === undefined) return payload;
  const before = "toolResult" in payload && isRecord(payload.toolResult) ? payload.toolResult : {};
  const type = result.failed === undefined ? {} : { resultType: result.failed ? "failure" : "success" };
  return { ...payload, toolResult: { ...before, ...type, textResultForLlm: result.text } };
}
