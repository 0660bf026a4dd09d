/** Finds the files of a workspace from which an agent may start programs, so that the user can trust them. */
export type FindStartingFiles = (place: { readonly cwd: string; readonly workspace: string }) => {
  readonly files: readonly StartingFile[];
  /** Folders that cannot be trusted file by file. */
  readonly unfit: readonly string[];
};

export interface StartingFile {
  readonly path: string;
  /** Its content, if it has already been read. */
  readonly text?: string;
  /** A description, if there is more to say than that it may start programs. */
  readonly what?: string;
}
