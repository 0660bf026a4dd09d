/** One of the agent's own rules about commands, and where it is written: a flag, or a file with its line. */
export interface OwnRule {
  readonly rule: string;
  readonly where: string;
}

/** What a rule matches. One rule may have several patterns; any of them is enough. */
export type OwnPattern =
  /** Every command. */
  | { readonly kind: "any" }
  /** A command whose argv starts with these words, each a text or a list of alternatives. */
  | { readonly kind: "words"; readonly words: readonly (string | readonly string[])[] }
  /** A command's text. `*` stands for any text; a final ` *` also matches the command without arguments. */
  | { readonly kind: "text"; readonly text: string }
  /** A command that reads or changes a path. Globs as in a policy, absolute or starting with `**` or `~/`. */
  | { readonly kind: "path"; readonly access: "read" | "write"; readonly globs: readonly string[] }
  /** A command that names this host. `*.x` means below x, `*` any host. */
  | { readonly kind: "host"; readonly host: string };

/** A rule of the agent's own that signalbox holds, because the agent would only see the rewritten command. */
export interface HeldRule extends OwnRule {
  readonly patterns: readonly OwnPattern[];
}

/** A file or folder as it was just before it was read. */
export interface SourceState {
  readonly path: string;
  readonly state: string;
}

/** The agent's own rules about commands, from every source that it would read. Plain data, kept in the hook settings. */
export interface OwnRules {
  readonly deny: readonly HeldRule[];
  readonly ask: readonly HeldRule[];
  /** Only what the user or an administrator allows. Needed where the user wants everything else denied. */
  readonly allow: readonly HeldRule[];
  /** A rule of the user's that we cannot read. Nothing may be rewritten then. */
  readonly unreadable?: OwnRule | undefined;
  /** Once one of these has changed, the rules must be read again. */
  readonly sources: readonly SourceState[];
}
