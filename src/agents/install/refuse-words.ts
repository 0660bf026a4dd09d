import type { Agent } from "../pack/agent.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { refuseSwitchOff, isFlag } from "./refuse-switch-off.ts";

/** What in an agent's own command line would bypass the rules. */
export interface RefusedWords {
  readonly agent: Agent;
  readonly flags: readonly string[];
  /** Flags that start the agent in another folder, whose settings were not checked. */
  readonly folders: readonly string[];
  /** Sub-commands that work in another process, or serve tools to another program. */
  readonly commands: readonly string[];
  readonly variables: readonly string[];
}

/** Throws when a flag, a sub-command or a variable would bypass the rules. */
export function refuseWords(
  refused: RefusedWords,
  given: { readonly flags: readonly string[]; readonly env: NodeJS.ProcessEnv },
): void {
  // Words after `--` count too: the `--` may be the value of a flag before it.
  const words = given.flags;
  const flag = words.find((word) => refused.flags.some((one) => isFlag(word, one)));
  if (flag !== undefined) refuseSwitchOff(flag, "the flags after --");
  const folder = words.find((word) => refused.folders.some((one) => isFlag(word, one)));
  if (folder !== undefined) throw elsewhere(folder);
  const command = refused.commands.find((one) => holds(plainWords(words, refused.agent), one.split(" ")));
  if (command !== undefined) refuseSwitchOff(command, "the words after --");
  const variable = refused.variables.find((name) => (given.env[name] ?? "") !== "");
  if (variable !== undefined) refuseSwitchOff(variable, "the environment");
}

function elsewhere(flag: string): UserError {
  return new UserError(`${flag} starts the agent in another folder than the one whose rules apply`, {
    where: "the flags after --",
    fix: "remove it and start signalbox in that folder, or use --unguarded before --",
    exitCode: EXIT.refused,
  });
}

/** Words that are neither flags nor their values. A sub-command may follow flags. */
const plainWords = (words: readonly string[], { valueFlags }: Agent) =>
  words.filter((word, index) => !word.startsWith("-") && !valueFlags.includes(words[index - 1] ?? ""));

const holds = (words: readonly string[], wanted: readonly string[]) =>
  words.some((_, start) => wanted.every((word, index) => words[start + index] === word));
