import type { Command } from "commander";

/** The command-line parser's error, without the user's words, because any of them may be a prompt. */
export function usageMessage(text: string, command: Command): string {
  const hint = command.options.some(({ long }) => long === "--prompt") ? "; pass a prompt with -p" : "";
  return text
    .replace(/^error: /, "")
    .replace(/^(too many arguments.* but got \d+): [^]*\.$/m, `$1${hint}`)
    .replace(/^(option '[^']*') argument '[^]*' is invalid\. /, "$1: ")
    .replace(/^(unknown option '\S*)\s[^]*'/, `$1 …'${hint}`);
}
