import { EXIT, UserError } from "../../lib/user-error.ts";

/** Refuses a start in which something would switch the rules off. */
export function disarmed(what: string, where: string, instead?: string): UserError {
  return new UserError(`${what} would switch the rules off`, {
    where,
    fix: instead ?? "leave it away; or say --unguarded before --, knowing that no tool call is held then",
    exitCode: EXIT.refused,
  });
}

/** True for a flag given as `--flag`, or as `--flag=value`. */
export const isFlag = (word: string, flag: string) => word === flag || word.startsWith(`${flag}=`);
