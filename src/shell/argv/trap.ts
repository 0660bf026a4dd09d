import type { Effect } from "../model/effect.ts";
import { isKnown, type Word } from "../model/word.ts";

/** What `trap` will run later. An empty action ignores the signals, a dash resets them, and -l and -p only print. */
export function trapEffects(words: readonly Word[]): readonly Effect[] {
  const dashes = words[0]?.text === "--";
  const [action, ...signals] = dashes ? words.slice(1) : words;
  if (action === undefined || (signals.length === 0 && isKnown(action))) return [];
  const runsNothing = isKnown(action) && (dashes ? NO_ACTION : NO_ACTION_OR_OPTION).test(action.text);
  // An unquoted word can vanish at run time, which makes the next one the action. Only a signal name certainly isn't
  // one.
  const scripts = runsNothing ? signals.filter((item) => !isSignal(item)) : [action];
  return scripts.map((script): Effect => ({ kind: "script", word: script, sure: true }));
}

/** The shell's own blanks. Any other white space is part of a command's name. */
const NO_ACTION = /^(?:[ \t\n]*|-)$/;
const NO_ACTION_OR_OPTION = /^(?:[ \t\n]*|-|-[lp]+)$/;

const SIGNAL =
  /^(?:\d{1,2}|EXIT|ERR|DEBUG|RETURN|(?:SIG)?(?:HUP|INT|QUIT|ABRT|ALRM|TERM|USR1|USR2|PIPE|CHLD|CONT|STOP|TSTP|TTIN|TTOU|WINCH|URG|XCPU|XFSZ|VTALRM|PROF|IO|SYS|TRAP|BUS|FPE|ILL|SEGV|KILL))$/;

const isSignal = (item: Word) => isKnown(item) && SIGNAL.test(item.text);
