import type { Command } from "commander";

/** What the command line's parser found wrong, without the words of the person: any of them may be a prompt. */
export function usageMessage(text: string, command: Command): string {
  const hint = command.options.some(({ long }) => long === "--prompt") ? "; pass a prompt with -p" : "";
  return text
    .replace(/^error: /, "")
    .replace(/^(too many arguments.* but got \d+): [^]*\.$/m, `$1${hint}`)
    .replace(/^(option '[^']*') argument '[^]*' is invalid\. /, "$1: ")
    .replace(/^(unknown option '\S*)\s[^]*'/, `$1 …'${hint}`);
}
