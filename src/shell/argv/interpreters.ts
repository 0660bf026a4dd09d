import { doubt, type Effect } from "../model/effect.ts";
import type { Feed } from "../model/shell-state.ts";
import { UNKNOWN, type Word, word } from "../model/word.ts";

const SHELLS = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "rbash", "busybox-sh", "posh", "yash"]);

export function isShell(name: string): boolean {
  return SHELLS.has(name);
}

/** A shell: runs the text after `-c`, a script file, or its standard input. */
export function shellEffects(words: readonly Word[], feed: Feed): readonly Effect[] {
  const { effects, command, operand } = shellOptions(words);
  if (command)
    return [
      ...effects,
      operand === undefined
        ? doubt("opaque-code", "the shell is given no command")
        : { kind: "script", word: operand, sure: true },
    ];
  return [...effects, ...(operand === undefined ? inputEffects(feed) : scriptFile(operand))];
}

interface ShellOptions {
  readonly effects: readonly Effect[];
  /** `-c` was given. */
  readonly command: boolean;
  readonly operand: Word | undefined;
}

const QUIET = /^--(?:norc|noprofile|posix|login|verbose|restricted|noediting|help|version|pretty-print|protected)$/;

const PLAIN_SETTING =
  /^(?:pipefail|errexit|nounset|xtrace|verbose|noglob|noclobber|nullglob|globstar|failglob|extglob|lastpipe|inherit_errexit)$/;

function shellOptions(words: readonly Word[]): ShellOptions {
  const effects: Effect[] = [];
  let command = false;
  for (let at = 0; at < words.length; at++) {
    const text = words[at]?.text ?? "";
    if (text === "--" || text === "-") return { effects, command, operand: words[at + 1] };
    if (!/^[-+]/.test(text)) return { effects, command, operand: words[at] };
    if (QUIET.test(text)) continue;
    if (/^--(?:rcfile|init-file)$/.test(text))
      effects.push(doubt("shell-start-file", "the shell reads a startup file first"), {
        kind: "read",
        word: words[++at] ?? word(""),
      });
    else if (!/^[-+][a-zA-Z]+$/.test(text))
      effects.push(doubt("option-unknown", `${text} is not a known shell option`));
    else {
      command ||= /^-.*c/.test(text);
      effects.push(...letterEffects(text, words[at + 1]));
      if (/[oO]$/.test(text)) at++;
    }
  }
  return { effects, command, operand: undefined };
}

/** The effects of a shell's option letters; `o` and `O` take the next word. */
function letterEffects(letters: string, next: Word | undefined): readonly Effect[] {
  const strange = /[oO]$/.test(letters) && !PLAIN_SETTING.test(next?.text ?? "");
  return [
    ...(/^-.*i/.test(letters) ? [doubt("shell-interactive", "an interactive shell reads startup files")] : []),
    ...(strange ? [doubt("shell-option", "an option changes how the shell parses commands")] : []),
  ];
}

function scriptFile(operand: Word): readonly Effect[] {
  const opaque = operand.text.includes(UNKNOWN) || operand.text.startsWith("/dev/");
  return [
    { kind: "read", word: operand },
    ...(opaque ? [doubt("opaque-code", "the script is only known at run time")] : []),
  ];
}

/** Text on the standard input of a shell is a script. */
export function inputEffects(feed: Feed): readonly Effect[] {
  const asks = doubt("opaque-code", "a shell reads its commands from standard input");
  return feed.kind === "text" ? [asks, { kind: "script", word: word(feed.text), sure: false }] : [asks];
}
