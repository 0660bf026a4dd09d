/** What a sub-agent is told and what it may use. It can only take away from what its session has. */
export interface SubAgentDefinition {
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  /** Absent: the session's model. `small`: the provider's small model, if one is known. */
  readonly model?: string | undefined;
  /** Names of tools in the words of any agent, or all tools of the session. */
  readonly tools: readonly string[] | "*";
  /** Its own part of the system prompt. */
  readonly prompt: string;
  /** It may look at things and change nothing. */
  readonly isReadOnly: boolean;
  /** The parts of the session's system prompt that it gets too, by name. */
  readonly parts: readonly string[];
  /** Where it is from, as people know the path; undefined for a built-in one. */
  readonly file?: string | undefined;
}
