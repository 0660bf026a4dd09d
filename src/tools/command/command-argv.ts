import { resolve } from "node:path";
import { isPlainCommand } from "../../shell/parse/read-script.ts";
import { findProgram } from "../../lib/find-program.ts";
import { systemProgram } from "../../lib/system-program.ts";

/** Words that only a shell can carry out. */
const SHELL_WORDS = new Set(
  ". : alias bg bind break builtin caller cd command compgen complete continue declare dirs disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait".split(
    " ",
  ),
);

/**
 * The argv for a command that was judged: the words themselves when there is only one way to read them, else a fresh
 * bash that reads none of the user's start files. Bash also says what is wrong with a program that is not there.
 */
export function commandArgv(command: string, { folder, path }: CommandPlace): readonly string[] {
  const [program, ...rest] = isPlainCommand(command) ? command.split(" ") : [];
  if (program !== undefined && !SHELL_WORDS.has(program)) {
    const isPath = program.includes("/");
    if (findProgram(isPath ? resolve(folder, program) : program, isPath ? "/" : path)) return [program, ...rest];
  }
  return [systemProgram("bash") ?? "bash", "--noprofile", "--norc", "-c", command];
}

interface CommandPlace {
  readonly folder: string;
  /** Where programs are looked for. */
  readonly path: string;
}
