import type { NotLoaded } from "./knowledge-place.ts";

/** A prompt that a person keeps in a file and calls by name: `/name arguments`. */
export interface KnownCommand {
  /** Without the `/`. */
  readonly name: string;
  readonly description: string;
  /** Its file, as people know the path. */
  readonly file: string;
  /** The prompt with these arguments, read now, or why that is not possible. */
  readonly expand: (given: string) => { readonly text: string } | { readonly why: string };
}

/** The commands that can be called, and the files that were found and cannot be used. */
export interface KnownCommands {
  readonly commands: readonly KnownCommand[];
  readonly notLoaded: readonly NotLoaded[];
}
