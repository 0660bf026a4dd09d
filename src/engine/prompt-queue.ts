import type { UserMessage } from "../contract/message.ts";

export interface QueuedPrompt {
  readonly id: string;
  readonly message: UserMessage;
}

/** Prompts that wait for their turn. */
export interface PromptQueue {
  add(prompt: QueuedPrompt): void;
  addFirst(prompt: QueuedPrompt): void;
  take(): QueuedPrompt | undefined;
  readonly size: number;
}

export function promptQueue(initial: readonly QueuedPrompt[] = []): PromptQueue {
  const prompts = [...initial];
  return {
    add: (prompt) => void prompts.push(prompt),
    addFirst: (prompt) => void prompts.unshift(prompt),
    take: () => prompts.shift(),
    get size() {
      return prompts.length;
    },
  };
}
