/** Finds the files of a workspace with which an agent may start programs, so that a person can trust them. */
export type FindStartingFiles = (place: { readonly cwd: string; readonly workspace: string }) => {
  readonly files: readonly StartingFile[];
  /** Folders that nobody can trust file by file. */
  readonly unfit: readonly string[];
};

export interface StartingFile {
  readonly path: string;
  /** Its content, where that was read already. */
  readonly text?: string;
  /** What it is, where more can be said than that it may start programs. */
  readonly what?: string;
}
