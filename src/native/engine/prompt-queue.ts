import type { UserMessage } from "../../contract/message.ts";
import type { LoopEvent } from "../../contract/engine-event.ts";
import type { EngineHooks } from "./hooks.ts";
import type { Processor } from "./processor.ts";

export interface QueuedPrompt {
  readonly id: string;
  readonly message: UserMessage;
}

/** Prompts waiting for their turn. */
export interface PromptQueue {
  add(prompt: QueuedPrompt): void;
  addFirst(prompt: QueuedPrompt): void;
  take(): QueuedPrompt | undefined;
  /** False when it is not waiting any more. */
  remove(id: string): boolean;
  readonly size: number;
}

export function promptQueue(initial: readonly QueuedPrompt[] = []): PromptQueue {
  const prompts = [...initial];
  return {
    add: (prompt) => void prompts.push(prompt),
    addFirst: (prompt) => void prompts.unshift(prompt),
    take: () => prompts.shift(),
    remove(id) {
      const at = prompts.findIndex((prompt) => prompt.id === id);
      return at !== -1 && prompts.splice(at, 1).length > 0;
    },
    get size() {
      return prompts.length;
    },
  };
}

/** Appends a prompt to the history, as modified by the hooks. Returns nothing when a hook refuses it. */
export async function* acceptPrompt(
  prompt: QueuedPrompt,
  hooks: EngineHooks,
): AsyncGenerator<LoopEvent, UserMessage | undefined> {
  const { id: promptId, message } = prompt;
  let { text } = message;
  const added: string[] = [];
  // Only a person's text goes through the hooks: a gate's reason is not a prompt.
  for (const hook of message.source === "person" ? (hooks.userPromptSubmitted ?? []) : []) {
    const word = await hook({ prompt: text });
    if (word?.decision === "block") {
      yield { type: "prompt-refused", promptId, because: word.reason ?? "a hook refused it" };
      return undefined;
    }
    text = word?.modifiedPrompt ?? text;
    if (word?.additionalContext !== undefined) added.push(word.additionalContext);
  }
  const accepted: UserMessage = { ...message, text: [text, ...added].join("\n\n").toWellFormed() };
  yield { type: "message", message: accepted, promptId };
  return accepted;
}

/** Passes prompts that arrived while the model worked to its next request, instead of holding them until the end. */
export function steering(queue: PromptQueue, hooks: EngineHooks): Processor {
  return {
    name: "queued prompts",
    async *preRequest() {
      for (let prompt = queue.take(); prompt !== undefined; prompt = queue.take()) yield* acceptPrompt(prompt, hooks);
    },
  };
}
