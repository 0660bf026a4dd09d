/**
 * What one start gives its agent from `.signalbox/` of the repository and of the user's home, in that agent's own words.
 * None of it can start a program.
 */
export interface GivenTexts {
  readonly agents: readonly GivenText[];
  /** Empty for an agent without commands of its own: it gets them as skills. */
  readonly commands: readonly GivenText[];
  readonly skills: readonly GivenText[];
  readonly instructions: readonly GivenInstructions[];
}

/** One agent, command or skill. */
export interface GivenText {
  readonly name: string;
  /** The sub-folder that its file is in, with `/`. Part of a command's name. */
  readonly folder: string;
  readonly description: string;
  /** The keys of its front matter. Only keys that cannot start a program or grant a permission. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** The file it was made from. */
  readonly from: string;
  /** True for the user's own, which is outside the workspace. */
  readonly isOwn: boolean;
}

export interface GivenInstructions {
  readonly path: string;
  readonly text: string;
  readonly isOwn: boolean;
}

export type GivenKind = "agents" | "commands" | "skills";
