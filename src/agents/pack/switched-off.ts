/** A settings file of the user's own with which an agent would leave out hooks. */
export interface SwitchedOff {
  /** Under the home folder, or under the folder that a variable names. */
  readonly path: string;
  readonly variable?: string;
  readonly off: RegExp;
}
