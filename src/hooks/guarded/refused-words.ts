import { disarmed, isFlag } from "./disarmed.ts";

/** What of an agent's own command line would lead around the rules. */
export interface RefusedWords {
  readonly flags: readonly string[];
  /** Sub-commands that work in another process, or serve tools to somebody else. */
  readonly commands: readonly string[];
  readonly variables: readonly string[];
}

/** Throws when a flag, a sub-command or a variable would. */
export function refuseWords(
  { flags, commands, variables }: RefusedWords,
  given: { readonly flags: readonly string[]; readonly env: NodeJS.ProcessEnv },
): void {
  const end = given.flags.indexOf("--");
  const words = end === -1 ? given.flags : given.flags.slice(0, end);
  const flag = words.find((word) => flags.some((refused) => isFlag(word, refused)));
  if (flag !== undefined) throw disarmed(flag, "the flags after --");
  const command = commands.find((refused) => refused.split(" ").every((word, index) => words[index] === word));
  if (command !== undefined) throw disarmed(command, "the words after --");
  const variable = variables.find((name) => (given.env[name] ?? "") !== "");
  if (variable !== undefined) throw disarmed(variable, "the environment");
}
