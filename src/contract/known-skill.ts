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
