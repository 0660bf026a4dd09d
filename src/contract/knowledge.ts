/** Where a session's instructions and skills are looked for. */
export interface KnowledgePlace {
  /** The real path of the workspace. */
  readonly workspace: string;
  /** The real path of the folder the session was started in. */
  readonly cwd: string;
  readonly userHome: string;
  /** The user's signalbox folder. */
  readonly signalboxHome: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** False for a path that the policy keeps from being read. */
  readonly mayRead: (path: string) => boolean;
}

/** Something that was found and is not given to the model. */
export interface NotLoaded {
  readonly name: string;
  readonly why: string;
  /** True when this is as intended, so that nobody needs a warning. */
  readonly expected?: true;
}

/** A prompt that a person keeps in a file and calls by name: `/name arguments`. */
export interface KnownCommand {
  /** Without the `/`. */
  readonly name: string;
  readonly description: string;
  /** Its file, as people know the path. */
  readonly file: string;
  /** The prompt with these arguments, read now, or why that is not possible. */
  readonly expand: (given: string) => { readonly text: string } | { readonly why: string };
}

/** The commands that can be called, and the files that were found and cannot be used. */
export interface KnownCommands {
  readonly commands: readonly KnownCommand[];
  readonly notLoaded: readonly NotLoaded[];
}

/** A skill that the model may use: listed by name, read when it is used. */
export interface KnownSkill {
  readonly name: string;
  readonly description: string;
  /** Its SKILL.md, as people know the path. */
  readonly file: string;
  /** The real path of its folder. */
  readonly folder: string;
  /** True for a skill of the user, which is outside the workspace. */
  readonly isOwn: boolean;
  /** Reads its text now, or says why that is not possible. */
  readonly read: () => { readonly text: string } | { readonly why: string };
}

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
