/** A settings file of the user that would make an agent skip hooks. */
export interface SwitchedOff {
  /** Relative to the home folder, or to the folder that a variable names. */
  readonly path: string;
  readonly variable?: string;
  readonly off: RegExp;
}
