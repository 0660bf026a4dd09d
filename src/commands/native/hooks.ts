import type { EngineHooks } from "../../engine/hooks.ts";
import type { HookAnswer } from "../../contract/hook-answer.ts";
import type { HookEventName } from "../../contract/hook-event.ts";
import { findHooks, registerHooks } from "../../hooks/project/find-hooks.ts";
import type { HookResult } from "../../hooks/project/hook-source.ts";
import { joinOtherAnswers, joinToolAnswers } from "../../hooks/project/join-answers.ts";
import { runHook } from "../../hooks/project/run-hook.ts";

export interface HookPlace {
  readonly sessionId: string;
  readonly workspace: string;
  /** The user's signalbox folder. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly warn: (text: string) => void;
}

const HOOK_MILLISECONDS = 10_000;

/** The programs that the user and the trusted repository want to be asked, as hooks of the engine. */
export function nativeHooks(place: HookPlace): EngineHooks {
  const { sessionId, workspace, home: folder, environment: env, warn } = place;
  const registered = registerHooks(findHooks({ workspace, folder }), warn);
  if (registered.length === 0) return {};
  const run = async (event: HookEventName, payload: object): Promise<readonly HookResult[]> => {
    const stdin = JSON.stringify({ sessionId, timestamp: Date.now(), cwd: workspace, ...payload });
    const results: HookResult[] = [];
    for (const hook of registered) {
      if (hook.event !== event) continue;
      results.push(await runHook(hook, { stdin, workspace, env, milliseconds: HOOK_MILLISECONDS }));
    }
    return results;
  };
  const tell = async (event: HookEventName, payload: object): Promise<HookAnswer> => {
    const results = await run(event, payload);
    for (const result of results) if ("failed" in result) warn(`the hook ${result.hook.name} failed: ${result.failed}`);
    return joinOtherAnswers(results);
  };
  return {
    sessionStart: [async (event) => void (await tell("session-start", event))],
    sessionEnd: [async (event) => void (await tell("session-end", event))],
    errorOccurred: [async (event) => void (await tell("error", event))],
    userPromptSubmitted: [async (event) => promptWord(await tell("prompt-submitted", event))],
    preToolUse: [async (event) => toolWord(joinToolAnswers({}, await run("tool-before", event), "strictest"))],
    postToolUse: [
      async ({ toolName, toolArgs, toolResult: { text, failed } }) => {
        const toolResult = { resultType: failed ? "failure" : "success", textResultForLlm: text };
        return contextOf(await tell("tool-after", { toolName, toolArgs, toolResult }));
      },
    ],
    agentStop: [
      async (event) => {
        const { stopReason, stopHookActive: stop_hook_active } = event;
        return stopWord(await run("agent-stop", { stopReason, stop_hook_active }), event.stopHookActive);
      },
    ],
  };
}

const contextOf = ({ context }: HookAnswer) => (context === undefined ? {} : { additionalContext: context });

function promptWord(answer: HookAnswer) {
  const { block } = answer;
  return { ...contextOf(answer), ...(block === undefined ? {} : { decision: "block" as const, reason: block }) };
}

/** A hook that wants a person to be asked is obeyed by a denial that says so: the guard asks by its own rules alone. */
function toolWord(answer: HookAnswer) {
  const { verdict, because = "a hook denied it", input } = answer;
  const asked = verdict === "ask" ? `a hook wants a person to decide: ${because}` : because;
  return {
    ...contextOf(answer),
    ...(input === undefined ? {} : { modifiedArgs: input }),
    ...(verdict === "deny" || verdict === "ask"
      ? { permissionDecision: "deny" as const, permissionDecisionReason: asked }
      : {}),
  };
}

/** A stop hook that fails refuses once and names itself. */
function stopWord(results: readonly HookResult[], again: boolean) {
  const failure = results.find((result) => "failed" in result);
  const failed =
    failure !== undefined && "failed" in failure && !again
      ? `the stop hook ${failure.hook.name} failed: ${failure.failed}`
      : undefined;
  const block = joinOtherAnswers(results).block ?? failed;
  return block === undefined ? undefined : { decision: "block" as const, reason: block };
}
