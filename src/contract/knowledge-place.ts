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
