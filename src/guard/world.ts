/** What the judge may know about the machine. Passed in, so that a case can bring a world of its own. */
export interface World {
  /** Where the link at an absolute path points, or undefined when there is no link. Throws when it cannot tell. */
  readonly readLink: (path: string) => string | undefined;
  /** The addresses of a host, or undefined when nobody resolved it. Throws when resolving failed. */
  readonly addresses: (host: string) => readonly string[] | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
