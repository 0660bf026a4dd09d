import { shQuote } from "../../lib/text/shell-words.ts";

/**
 * The shell command that the user named, as one quoted word or as several after `--`. Undefined if there is none.
 */
export function commandWords(words: readonly string[], passed: readonly string[] | undefined): string | undefined {
  const given = passed ?? words.slice(1);
  const [only] = given;
  if (only === undefined) return undefined;
  return given.length === 1 ? only : given.map(quoted).join(" ");
}

/** Only where it changes nothing is a word left as it is: a shell's keyword or an assignment would mean something else. */
const quoted = (word: string) => (PLAIN.test(word) && !KEYWORD.test(word) ? word : shQuote(word));

const PLAIN = /^(?:[\w./:@%+,-]+|--?[\w-]+=[\w./:@%+,-]*)$/;
const KEYWORD = /^(?:if|then|else|elif|fi|do|done|case|esac|while|until|for|in|function|time|select|coproc)$/;
