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
