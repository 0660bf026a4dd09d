import { Command } from "commander";
import type { Verb } from "../command-module.ts";

export interface CompletedFlag {
  readonly long: string;
  readonly short: string | undefined;
  readonly help: string;
  /** What the flag takes as its value. */
  readonly takes: "nothing" | "a file" | "a value";
}

export interface CompletedVerb {
  readonly name: string;
  readonly summary: string;
  readonly firstWords: readonly string[];
  /** True where every further word is of the same kind. */
  readonly manyWords: boolean;
  readonly flags: readonly CompletedFlag[];
}

/** A verb with its words and flags, read from the command itself so that they always match. */
export async function completedVerb({ name, summary, load }: Verb): Promise<CompletedVerb> {
  const probe = new Command(name);
  const { command: module } = await load();
  module.configure(probe, name);
  const flags = probe.options.flatMap(({ long, short, description, flags: declaration }): CompletedFlag[] =>
    long == null ? [] : [{ long, short: short ?? undefined, help: description, takes: takesOf(declaration) }],
  );
  return {
    name,
    summary,
    firstWords: module.firstWords?.() ?? [],
    manyWords: probe.registeredArguments[0]?.name() === "agents",
    flags: [...flags, { long: "--help", short: "-h", help: "show this help", takes: "nothing" }],
  };
}

/** Derived from the flag's declaration: `--prompt-file <file>`. */
function takesOf(declaration: string): CompletedFlag["takes"] {
  if (/<(?:file|dir)>/.test(declaration)) return "a file";
  return declaration.includes("<") ? "a value" : "nothing";
}

/** Both spellings of the flags that take a value. */
export function spelled(verb: CompletedVerb, takes: CompletedFlag["takes"]): readonly string[] {
  return verb.flags
    .filter((flag) => flag.takes === takes)
    .flatMap(({ long, short }) => (short === undefined ? [long] : [short, long]));
}
