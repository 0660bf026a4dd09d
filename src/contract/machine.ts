/** What the judge may know about the machine. Passed in, so that a case can bring a machine of its own. */
export interface Machine {
  /** Where the link at an absolute path points, or undefined when there is no link. Throws when it cannot tell. */
  readonly readLink: (path: string) => string | undefined;
  /** The addresses of a host, or undefined when nobody resolved it. Throws when resolving failed. */
  readonly addresses: (host: string) => readonly string[] | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** What stands at an absolute path, links not followed. Left out, as the two below: nothing is known. */
  readonly kind?: (path: string) => PathKind | undefined;
  /** The text of a small file, or undefined when it cannot be read. */
  readonly readText?: (path: string) => string | undefined;
  /** Folders that another file system, or another part of this one, is mounted on. */
  readonly mounts?: () => readonly string[];
}

/** `special`: a device, a pipe or a socket. */
export type PathKind = "file" | "folder" | "link" | "special";
