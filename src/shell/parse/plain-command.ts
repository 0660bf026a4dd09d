import type { ShellCommand } from "../model/script.ts";

/** Words without shell metacharacters, separated by single spaces. The first must not be an assignment. */
const PLAIN = /^[\w./:@%+,-]+(?: [\w./:@%+,=-]+)*$/;

/** Plain first words that are shell keywords. */
const GRAMMAR = new Set(
  "if then else elif fi do done case esac while until for in function select coproc time".split(" "),
);

/**
 * Parses a command so simple that there is only one way to read it; otherwise undefined. Agrees with the full parser (a
 * test compares them); not loading that saves a hook 5 ms.
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
