import type { HookAnswer } from "../../contract/hook-answer.ts";
import type { EngineHooks } from "../../engine/hooks.ts";
import { type HookPlace, openSessionHooks } from "../../hooks/project/session-hooks.ts";
import { logPath, sessionsPlace } from "../../sessions/folder.ts";

/** The hook programs configured by the user and the trusted repository, as hooks of the engine. */
export function nativeHooks(place: HookPlace): EngineHooks {
  const hooks = openSessionHooks(place);
  if (hooks === undefined) return {};
  const { beforeTool, beforeStop, tell } = hooks;
  const transcriptPath = logPath(sessionsPlace(place.home), place.sessionId);
  return {
    sessionStart: [async (event) => void (await tell("session-start", event))],
    sessionEnd: [async (event) => void (await tell("session-end", event))],
    errorOccurred: [async (event) => void (await tell("error", event))],
    preCompact: [async (event) => void (await tell("compact-before", event))],
    userPromptSubmitted: [async (event) => promptWord(await tell("prompt-submitted", event))],
    preToolUse: [async (event) => toolWord(await beforeTool(event))],
    postToolUse: [
      async ({ toolName, toolArgs, toolResult: { text, failed } }) => {
        const toolResult = { resultType: failed ? "failure" : "success", textResultForLlm: text };
        return resultWord(await tell("tool-after", { toolName, toolArgs, toolResult }), failed);
      },
    ],
    agentStop: [
      async (event) => {
        const { stopReason, stopHookActive: stop_hook_active } = event;
        const reason = await beforeStop(
          "agent-stop",
          { transcriptPath, stopReason, stop_hook_active },
          stop_hook_active,
        );
        return reason === undefined ? undefined : { decision: "block" as const, reason };
      },
    ],
    subagentStop: [
      async ({ stopHookActive: stop_hook_active, agentName, ...event }) => {
        const payload = { ...event, agentName, agentType: agentName, stop_hook_active };
        const reason = await beforeStop("subagent-stop", payload, stop_hook_active);
        return reason === undefined ? undefined : { decision: "block" as const, reason };
      },
    ],
  };
}

const contextOf = ({ context }: HookAnswer) => (context === undefined ? {} : { additionalContext: context });

function promptWord(answer: HookAnswer) {
  const { block, prompt } = answer;
  return {
    ...contextOf(answer),
    ...(prompt === undefined ? {} : { modifiedPrompt: prompt }),
    ...(block === undefined ? {} : { decision: "block" as const, reason: block }),
  };
}

/** A changed result replaces the whole one: images that the hook was not shown are not sent either. */
function resultWord(answer: HookAnswer, failedBefore: boolean) {
  const { result } = answer;
  return {
    ...contextOf(answer),
    ...(result === undefined ? {} : { modifiedResult: { text: result.text, failed: result.failed ?? failedBefore } }),
  };
}

/**
 * When a hook asks for approval, the call is denied with that reason, because the guard only asks according to its own
 * rules.
 */
function toolWord(answer: HookAnswer) {
  const { verdict, because = "a hook denied it", input } = answer;
  const reason = verdict === "ask" ? `a hook asks for approval: ${because}` : because;
  return {
    ...contextOf(answer),
    ...(input === undefined ? {} : { modifiedArgs: input }),
    ...(verdict === "deny" || verdict === "ask"
      ? { permissionDecision: "deny" as const, permissionDecisionReason: reason }
      : {}),
  };
}
