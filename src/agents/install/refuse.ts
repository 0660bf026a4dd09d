import { join } from "node:path";
import type { ManagedSwitch } from "../../contract/agent-install.ts";
import { MAX_SETTINGS, readBounded } from "../../lib/files/read-file.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import type { Agent } from "../pack/agent.ts";
import { settingsText } from "./read-settings.ts";

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

/** Refuses a start in which something would disable the guard. */
export function refuseSwitchOff(what: string, where: string, instead?: string): never {
  throw new UserError(`${what} would disable the guard`, {
    where,
    fix: instead ?? "remove it, or use --unguarded before -- to start the agent without rules",
    exitCode: EXIT.refused,
  });
}

/** True for a flag given as `--flag`, `--flag=value`, `-fvalue`, or combined with other letters as in `-sfvalue`. */
export function isFlag(word: string, flag: string): boolean {
  if (word === flag) return true;
  if (flag.startsWith("--")) return word.startsWith(`${flag}=`);
  // A `c` takes the rest of the word as its value.
  return new RegExp(`^-[abd-zA-Z]*${flag.slice(1)}`).test(word);
}

/** A file of an administrator that overrides ours, and the words in it that keep other people's hooks out. */
interface ManagedFile {
  readonly path: string;
  readonly off: RegExp;
}

/** The first of these files that keeps our hooks out. */
export function findManaged(files: readonly ManagedFile[], root: string): ManagedSwitch | undefined {
  const file = files.find(({ path, off }) => off.test(textOf(join(root, path))))?.path;
  return file === undefined ? undefined : { file, state: "off" };
}

/** Throws when an administrator's file keeps our hooks out, or might. */
export function refuseManaged(found: ManagedSwitch | undefined): void {
  if (found === undefined) return;
  const { file, state } = found;
  if (state === "off") {
    const fix = "ask your administrator to allow user hooks, or use --unguarded";
    refuseSwitchOff("this machine's managed settings", file, fix);
  }
  throw new UserError("this machine's managed settings cannot be read and might disable the guard", {
    where: file,
    fix: "ask your administrator to fix the file, or use --unguarded",
    exitCode: EXIT.refused,
  });
}

function textOf(path: string): string {
  try {
    return settingsText(readBounded(path, MAX_SETTINGS).bytes);
  } catch {
    // It is missing or not readable for this user. The agent runs as the same user.
    return "";
  }
}

/** The values of a flag, as `--flag=value` or as the words after it. */
export function flagValues(flags: readonly string[], names: readonly string[]): readonly string[] {
  return flags.flatMap((word, index) => {
    const name = names.find((one) => isFlag(word, one));
    if (name === undefined) return [];
    if (word !== name) return [word.slice(name.length + 1)];
    const end = flags.findIndex((next, at) => at > index && next.startsWith("-"));
    return flags.slice(index + 1, end === -1 ? undefined : end);
  });
}
