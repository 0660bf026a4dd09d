import { EXIT, UserError } from "../../lib/user-error.ts";

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
