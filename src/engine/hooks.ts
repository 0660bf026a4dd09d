import type { ToolOutput } from "../contract/tool.ts";
import { isRecord } from "../lib/is-record.ts";
import type { CallRuling, Processor } from "./processor.ts";

type Hook<Event, Word = void> = (event: Event) => Promise<Word | undefined>;

/** Functions that callers add to a session. The caller adds session id, folder and time to what they pass on. */
export interface EngineHooks {
  readonly sessionStart?: readonly Hook<{ readonly source: "new" | "resume" }>[];
  readonly userPromptSubmitted?: readonly Hook<{ readonly prompt: string }, PromptWord>[];
  readonly preToolUse?: readonly Hook<ToolUse, ToolUseWord>[];
  readonly postToolUse?: readonly Hook<ToolUse & { readonly toolResult: ToolOutput }, ToolResultWord>[];
  readonly agentStop?: readonly Hook<AgentStop, StopWord>[];
  readonly errorOccurred?: readonly Hook<ErrorOccurred>[];
  readonly sessionEnd?: readonly Hook<SessionEnd>[];
}

interface ToolUse {
  readonly toolName: string;
  readonly toolArgs: unknown;
}

interface AgentStop {
  readonly stopReason: "end_turn";
  /** True when the model only continues because this hook blocked before. */
  readonly stopHookActive: boolean;
}

interface ErrorOccurred {
  readonly error: { readonly name: string; readonly message: string };
  readonly errorContext: "model_call" | "tool_execution" | "system";
  readonly recoverable: boolean;
}

interface SessionEnd {
  readonly reason: "complete" | "error" | "abort";
  readonly error?: string;
}

interface PromptWord {
  readonly modifiedPrompt?: string;
  readonly additionalContext?: string;
  readonly decision?: "block";
  readonly reason?: string;
}

interface ToolUseWord {
  readonly permissionDecision?: "allow" | "deny";
  readonly permissionDecisionReason?: string;
  readonly modifiedArgs?: unknown;
  readonly additionalContext?: string;
}

interface ToolResultWord {
  readonly modifiedResult?: ToolOutput;
  readonly additionalContext?: string;
}

interface StopWord {
  readonly decision?: "allow" | "block";
  readonly reason?: string;
}

/** The tool hooks as a processor. A `preToolUse` that throws denies the call; one denial is enough. */
export function hooksProcessor(hooks: EngineHooks): Processor {
  return {
    name: "a hook",
    async preTools(calls) {
      const rulings: CallRuling[] = [];
      for (const { id, name, input } of calls) rulings.push(...(await preToolUse(hooks, { id, name, input })));
      return rulings;
    },
    async postTool(call, output) {
      let result = output;
      for (const hook of hooks.postToolUse ?? []) {
        const word = await hook({ toolName: call.name, toolArgs: call.input, toolResult: result });
        if (word?.modifiedResult !== undefined) result = word.modifiedResult;
        if (word?.additionalContext !== undefined)
          result = { ...result, text: `${result.text}\n\n${word.additionalContext}` };
      }
      return result;
    },
  };
}

interface Called {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

async function preToolUse(hooks: EngineHooks, { id: callId, name, input }: Called): Promise<CallRuling[]> {
  const rulings: CallRuling[] = [];
  let toolArgs = input;
  for (const hook of hooks.preToolUse ?? []) {
    const word = await hook({ toolName: name, toolArgs });
    if (word?.permissionDecision === "deny") {
      const because = word.permissionDecisionReason ?? "a hook denied it";
      return [{ kind: "deny", callId, because }];
    }
    if (isRecord(word?.modifiedArgs)) {
      toolArgs = word.modifiedArgs;
      rulings.push({ kind: "change", callId, input: toolArgs });
    }
    if (word?.additionalContext !== undefined) rulings.push({ kind: "note", callId, text: word.additionalContext });
  }
  return rulings;
}
