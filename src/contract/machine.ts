/** What the judge can learn about the machine. Passed in, so that tests can supply their own. */
export interface Machine {
  /**
   * The target of the link at an absolute path, or undefined when it is not a link. Throws when this cannot be
   * determined.
   */
  readonly readLink: (path: string) => string | undefined;
  /** The addresses of a host, or undefined when it has not been resolved. Throws when resolving failed. */
  readonly addresses: (host: string) => readonly string[] | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /**
   * What is at an absolute path, without following links. If this or a function below is missing, nothing is
   * known.
   */
  readonly kind?: (path: string) => PathKind | undefined;
  /** The text of a small file, or undefined when it cannot be read. */
  readonly readText?: (path: string) => string | undefined;
  /**
   * Paths, relative to the top of the repository around a folder, that differ between revisions as `git diff-tree`
   * takes them. Undefined when git does not know them, or not quickly.
   */
  readonly gitChanges?: (folder: string, revisions: readonly string[]) => readonly string[] | undefined;
  /** Names of files, relative to the top of the repository around a folder. Undefined when git cannot tell. */
  readonly gitTracked?: (folder: string, which: TrackedFiles) => readonly string[] | undefined;
  /** Which of these names differ on disk from a tree, or from the index, at the top of a repository. */
  readonly gitAltered?: (
    top: string,
    names: readonly string[],
    tree: string | undefined,
  ) => readonly string[] | undefined;
  /** Folders that an index names as other repositories, relative to the top of the work tree. */
  readonly gitLinks?: (index: string) => readonly string[];
  /** Folders that are mount points, including bind mounts. */
  readonly mounts?: () => readonly string[];
}

/** Files that git tracks, and those of a tree beside them, or the others. Without a pathspec: all below the folder. */
export interface TrackedFiles {
  readonly pathspecs: readonly string[];
  readonly tree?: string;
  /** Instead those that git does not track; with `ignored`, what it ignores as well. */
  readonly others?: "untracked" | "ignored";
}

/** `special`: a device, pipe or socket. */
export type PathKind = "file" | "folder" | "link" | "special";
