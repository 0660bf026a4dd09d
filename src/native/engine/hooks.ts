import { isDeepStrictEqual } from "node:util";
import type { CompactionTrigger, SessionOutcome } from "../../contract/engine-event.ts";
import type { ToolOutput } from "../../contract/tool.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import type { CallRuling, Processor } from "./processor.ts";

type Hook<Event, Word = void> = (event: Event) => Promise<Word | undefined>;

/** Functions that callers add to a session. The caller adds session id, folder and time to what they pass on. */
export interface EngineHooks {
  readonly sessionStart?: readonly Hook<{ readonly source: "new" | "resume" }>[];
  readonly userPromptSubmitted?: readonly Hook<{ readonly prompt: string }, PromptWord>[];
  readonly preToolUse?: readonly Hook<ToolUse, ToolUseWord>[];
  readonly postToolUse?: readonly Hook<ToolUse & { readonly toolResult: ToolOutput }, ToolResultWord>[];
  readonly agentStop?: readonly Hook<AgentStop, StopWord>[];
  readonly subagentStop?: readonly Hook<SubagentStop, StopWord>[];
  /** Before a conversation is shortened. It cannot be prevented, but the hook may save what it needs. */
  readonly preCompact?: readonly Hook<{ readonly trigger: "auto" | "manual" }>[];
  readonly errorOccurred?: readonly Hook<ErrorOccurred>[];
  readonly sessionEnd?: readonly Hook<SessionEnd>[];
}

interface ToolUse {
  readonly toolName: string;
  readonly toolArgs: unknown;
}

export interface AgentStop {
  readonly stopReason: "end_turn";
  /** True when the model only continues because this hook blocked before. */
  readonly stopHookActive: boolean;
}

/** A sub-agent that would stop. */
export interface StoppingAgent {
  readonly agentId: string;
  readonly agentName: string;
  readonly agentDisplayName: string;
  /** The sub-agent that started it; undefined when the session's own agent did. */
  readonly parentAgentId: string | undefined;
  readonly transcriptPath: string;
}

interface SubagentStop extends AgentStop, StoppingAgent {
  readonly response: string;
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

export interface StopWord {
  readonly decision?: "allow" | "block";
  readonly reason?: string;
}

/** The beginning of the note in the result of a call that a hook has changed. */
export const CHANGED_CALL = "[a hook changed the arguments of this call to:";

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
      let result = output.failed ? await tellFailure(hooks, output) : output;
      for (const hook of hooks.postToolUse ?? []) {
        const word = await hook({ toolName: call.name, toolArgs: call.input, toolResult: result });
        if (word?.modifiedResult !== undefined) result = changedResult(output, word.modifiedResult);
        if (word?.additionalContext !== undefined)
          result = { ...result, text: `${result.text}\n\n${word.additionalContext}` };
      }
      return result;
    },
  };
}

/** A hook changes what the model sees, not what the call did. */
function changedResult({ deeds = [], ends }: ToolOutput, changed: ToolOutput): ToolOutput {
  return { ...changed, deeds, ...(ends === undefined ? {} : { ends }) };
}

/** Reports a failure to every `errorOccurred` hook. Returns why some of them failed; that never stops the session. */
export async function tellError(hooks: EngineHooks, event: ErrorOccurred): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const hook of hooks.errorOccurred ?? []) {
    try {
      await hook(event);
    } catch (error) {
      failures.push(messageOf(error));
    }
  }
  return failures;
}

const MAX_MESSAGE = 4000;

async function tellFailure(hooks: EngineHooks, output: ToolOutput): Promise<ToolOutput> {
  const error = { name: "ToolError", message: output.text.slice(0, MAX_MESSAGE).toWellFormed() };
  const failures = await tellError(hooks, { error, errorContext: "tool_execution", recoverable: true });
  const notes = failures.map((because) => `[an errorOccurred hook failed: ${because}]`);
  return { ...output, text: [output.text, ...notes].join("\n\n") };
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
    if (isRecord(word?.modifiedArgs)) toolArgs = word.modifiedArgs;
    if (word?.additionalContext !== undefined) rulings.push({ kind: "note", callId, text: word.additionalContext });
  }
  if (isDeepStrictEqual(toolArgs, input)) return rulings;
  // The note comes first, because arguments that are wrong end the call there.
  const note = { kind: "note", callId, text: changedNote(toolArgs) } as const;
  return [note, { kind: "change", callId, input: toolArgs }, ...rulings];
}

const MAX_SHOWN = 2000;

/** The history shows the call as the model made it, so the model must learn what ran instead. */
function changedNote(toolArgs: unknown): string {
  const shown = JSON.stringify(toolArgs) ?? "nothing";
  const cut = shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN).toWellFormed()}… (cut)` : shown;
  return `${CHANGED_CALL} ${cut}]`;
}

type Warn = (text: string) => void;

/** Runs hooks that cannot change anything. A failure is only reported as a warning. */
async function tell<Event>(hooks: readonly Hook<Event>[] = [], event: Event, warn: Warn): Promise<void> {
  for (const hook of hooks) {
    try {
      await hook(event);
    } catch (error) {
      warn(`a hook failed: ${messageOf(error)}`);
    }
  }
}

/** Tells the hooks that a conversation begins. */
export const tellStart = (hooks: EngineHooks, source: "new" | "resume", warn: Warn): Promise<void> =>
  tell(hooks.sessionStart, { source }, warn);

/** Tells the hooks that a conversation is about to be shortened. */
export const tellCompaction = (hooks: EngineHooks, trigger: CompactionTrigger, warn: Warn): Promise<void> =>
  tell(hooks.preCompact, { trigger: trigger === "asked" ? "manual" : "auto" }, warn);

/** Tells the hooks how a conversation ended. */
export async function tellEnd(hooks: EngineHooks, outcome: SessionOutcome | undefined, warn: Warn): Promise<void> {
  const { reason = "answered", because: error = "" } = outcome ?? {};
  if (reason === "answered") return await tell(hooks.sessionEnd, { reason: "complete" }, warn);
  await tell(hooks.sessionEnd, { reason: reason === "aborted" ? "abort" : "error", error }, warn);
}
