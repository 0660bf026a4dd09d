import type { Command } from "commander";

/** What a verb adds to its sub-command. `run` returns the exit code. */
export interface CommandModule {
  configure(command: Command, verb: string): void;
  /** The help of each subcommand, for `VERB SUBCOMMAND --help`. */
  readonly subVerbs?: Readonly<Record<string, SubVerbHelp>>;
  /** The possible first words, for completions, if they are known. */
  readonly firstWords?: () => readonly string[];
  /** It uses the words after `--`. */
  readonly takesPassed?: true;
  run(input: CommandInput): Promise<number>;
}

export interface SubVerbHelp {
  /** What follows the subcommand: `RUN [--json]`. */
  readonly usage: string;
  readonly summary: string;
  /** The flags that it reads, of those that the verb has. */
  readonly flags: readonly string[];
  readonly examples: readonly string[];
  /** Paragraphs for its own help. */
  readonly more?: string;
}

export interface CommandInput {
  readonly verb: string;
  /** Words before `--` that are not flags. */
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, unknown>>;
  /** All verbs, for the command that lists them. */
  readonly verbs: readonly Verb[];
  /** Everything after the first `--`, unchanged; undefined when there was no `--`. */
  readonly passed: readonly string[] | undefined;
}

/** A subcommand that another verb carries out: `runs show` is `receipt show`, and `runs cancel` is `cancel`. */
interface VerbPart {
  readonly is: readonly [verb: string, subVerb?: string];
  readonly summary: string;
}

export interface Verb {
  readonly name: string;
  /** The verb that has it as a part. Its own name keeps working, and help does not show it. */
  readonly nowIn?: string;
  readonly parts?: Readonly<Record<string, VerbPart>>;
  /** It starts another program as an agent. */
  readonly launches?: true;
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: CommandModule }>;
}
