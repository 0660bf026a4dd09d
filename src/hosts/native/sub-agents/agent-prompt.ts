import type { SubAgentDefinition } from "../../../contract/sub-agent-definition.ts";
import type { PromptPart } from "../../../knowledge/system-prompt.ts";

const LAST_WORDS =
  "You are a sub-agent. Another agent gave you this task and sees only your last message, so put everything it needs there and say what you did not do. It cannot answer questions.";

/** The system prompt of a sub-agent: its own part, then those of the session's that it needs. */
export function agentPrompt({ prompt, parts }: SubAgentDefinition, session: readonly PromptPart[]): string {
  const shared = session.filter(({ name }) => parts.includes(name)).map(({ text }) => text);
  return [prompt, ...shared, LAST_WORDS].join("\n\n");
}
