import type { ShellCommand } from "../model/script.ts";

/** Words of characters that mean nothing to a shell, one space between them. The first may be no assignment. */
const PLAIN = /^[\w./:@%+,-]+(?: [\w./:@%+,=-]+)*$/;

/** A plain first word that the shell reads as its own grammar all the same. */
const GRAMMAR = new Set(
  "if then else elif fi do done case esac while until for in function select coproc time".split(" "),
);

/**
 * A command so plain that there is only one way to read it, or undefined. The full parser would say the same
 * (a test holds the two together); not loading it saves 5 ms of a hook.
 */
export function plainCommand(source: string): ShellCommand | undefined {
  if (!PLAIN.test(source)) return undefined;
  const words = source.split(" ");
  if (GRAMMAR.has(words[0] ?? "")) return undefined;
  return {
    kind: "command",
    assignments: [],
    words: words.map((text) => ({ pieces: [{ kind: "text", text, quoted: false }] })),
    redirects: [],
    source,
  };
}
