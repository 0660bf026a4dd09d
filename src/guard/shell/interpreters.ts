import { doubt, type Effect } from "./effect.ts";
import type { Feed } from "./feed.ts";
import { UNKNOWN, type Word, word } from "./word.ts";

const SHELLS = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "rbash", "busybox-sh", "posh", "yash"]);

export function isShell(name: string): boolean {
  return SHELLS.has(name);
}

/** A shell: the text after `-c`, a script file, or whatever comes on standard input. */
export function shellEffects(words: readonly Word[], feed: Feed): readonly Effect[] {
  const effects: Effect[] = [];
  let command = false;
  let at = 0;
  for (; at < words.length; at++) {
    const text = words[at]?.text ?? "";
    if (text === "--" || text === "-") {
      at++;
      break;
    }
    if (/^--(?:rcfile|init-file)$/.test(text)) effects.push(doubt("shell-start-file", "the shell reads a start file first"), { kind: "read", word: words[++at] ?? word("") });
    else if (/^--(?:norc|noprofile|posix|login|verbose|restricted|noediting|help|version|pretty-print|protected)$/.test(text)) continue;
    else if (/^[-+][a-zA-Z]+$/.test(text)) {
      if (text.startsWith("-") && text.includes("c")) command = true;
      if (/[oO]$/.test(text)) at++;
      if (/^-.*i/.test(text)) effects.push(doubt("shell-interactive", "an interactive shell reads start files"));
    } else if (/^[-+]/.test(text)) effects.push(doubt("option-unknown", `the option ${text} is not a known one of a shell`));
    else break;
  }
  const operand = words[at];
  if (command) return [...effects, operand === undefined ? doubt("opaque-code", "the shell gets no command") : { kind: "script", word: operand, sure: true }];
  if (operand !== undefined) return [...effects, ...scriptFile(operand)];
  return [...effects, ...inputEffects(feed)];
}

function scriptFile(operand: Word): readonly Effect[] {
  const opaque = operand.text.includes(UNKNOWN) || operand.text.startsWith("/dev/");
  return [{ kind: "read", word: operand }, ...(opaque ? [doubt("opaque-code", "the script is only known at run time")] : [])];
}

/** Text on the standard input of a shell is a script. */
export function inputEffects(feed: Feed): readonly Effect[] {
  const asks = doubt("opaque-code", "a shell reads its commands from standard input");
  return feed.kind === "text" ? [asks, { kind: "script", word: word(feed.text), sure: false }] : [asks];
}
