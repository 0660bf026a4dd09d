/** What of a command's reach a sandbox limits. */
export const HELD_PARTS = ["disk", "secrets", "network", "processes"] as const;
export type HeldPart = (typeof HELD_PARTS)[number];

/** Where a session's commands run: in a proven sandbox, or not, and then why and how to change that. */
export type Containment =
  | {
      readonly contained: true;
      /** `bubblewrap`, `seatbelt`, or the agent whose own sandbox is used. */
      readonly by: string;
      readonly held: readonly HeldPart[];
      /** When the trial last passed on this machine. */
      readonly provenAt: string;
    }
  | { readonly contained: false; readonly because: string; readonly fix: string };

/**
 * One thing that a command needs and the sandbox does not give. A host, a path or a variable can be lent to this one
 * command; for anything else it has to run outside.
 */
export interface Need {
  readonly kind: "host" | "path" | "variable" | "outside";
  /** `HOST:PORT`, a path, a variable's name, or what is needed outside (`the container engine`). */
  readonly target: string;
  /** For a path: whether it has to be writable. */
  readonly access?: "read" | "write";
  /** For people: `needs github.com:22 and your ssh key to push`. */
  readonly because: string;
}
