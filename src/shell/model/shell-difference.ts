import type { RunningShell } from "../../contract/agent-call.ts";
import { doubt, type Effect } from "./effect.ts";
import { UNKNOWN, type Word } from "./word.ts";

/** Doubts about an argv that shells other than bash would execute differently. */
export function otherShellEffects(name: string, words: readonly Word[], shell: RunningShell): readonly Effect[] {
  if (shell === "bash") return [];
  const texts = words.map(({ text }) => text);
  return [...wordDifferences(name, texts), ...builtinDifferences(name, texts)]
    .filter((difference) => matters(difference, shell))
    .map((difference) => doubt("shell-differs", differenceText(difference, shell)));
}

const zsh = (what: string): ShellDifference => ({ in: "zsh", what });

function wordDifferences(name: string, texts: readonly string[]): readonly ShellDifference[] {
  if (isCommandOfZsh(name)) return [zsh(`the word ${name}`)];
  // Zsh evaluates arguments of many builtins as numbers, and a subscript in them as code.
  const computed = name !== "echo" && EVALUATING.test(name) && texts.some((text) => /\[.*(?:\$[({]|`)/s.test(text));
  return computed ? [zsh(`a subscript given to ${name}`)] : [];
}

const EVALUATING =
  /^(?:\.|:|\[|bg|break|cd|continue|declare|dirs|disown|enable|exit|export|fg|getopts|hash|history|jobs|kill|local|logout|popd|printf|pushd|pwd|read|readonly|return|set|shift|source|suspend|test|trap|type|typeset|ulimit|umask|unalias|unset|wait)$/;

type Differences = (texts: readonly string[]) => readonly ShellDifference[];

const isNumber = (text: string) => /^[-+]?\d*$/.test(text);

const numbers =
  (name: string): Differences =>
  (texts) =>
    texts.every(isNumber) ? [] : [zsh(`what ${name} computes`)];

/** Names that are assigned a value. */
const named: Differences = (texts) =>
  texts.flatMap((text) => {
    const [name = "", value = ""] = text.split(/\+?=(.*)/s);
    return [
      ...(isSpecialInZsh(name) || text.startsWith(UNKNOWN) ? [zsh(`the variable ${name.replace(UNKNOWN, "…")}`)] : []),
      ...(/^=.|:=/.test(value) ? [zsh("the value of this assignment")] : []),
    ];
  });

/** Conversions that print text unchanged. */
const TEXT_FORMAT = /^(?:[^%]|%%|%-?\d*(?:\.\d+)?[sbqc])*$/;

const words = (text: string) => new Set(text.split(" "));

/**
 * Variables that are special in zsh but not in bash: `path` is PATH, NULLCMD is a program, a number is evaluated from
 * its text. A test compares this list with a real zsh.
 */
const VARIABLES = words(
  "ARGC CDPATH COLUMNS EGID EUID FIGNORE FPATH FUNCNEST GID HISTCHARS HISTCMD HISTSIZE KEYBOARD_HACK KEYTIMEOUT LINENO LINES LISTMAX LOGCHECK MAILCHECK MAILPATH MANPATH MODULE_PATH NULLCMD OPTARG OPTIND PPID PROMPT PROMPT2 PROMPT3 PROMPT4 PSVAR RANDOM READNULLCMD REPORTMEMORY REPORTTIME RPROMPT RPS1 SAVEHIST SECONDS SHLVL SPROMPT TMOUT TRY_BLOCK_ERROR TRY_BLOCK_INTERRUPT TTYIDLE UID USERNAME WORDCHARS ZDOTDIR ZSH_EVAL_CONTEXT ZSH_SUBSHELL aliases argv builtins cdpath commands dirstack dis_aliases dis_builtins dis_functions dis_functions_source dis_galiases dis_patchars dis_reswords dis_saliases fignore fpath funcfiletrace funcsourcetrace funcstack functions functions_source functrace galiases histchars history historywords jobdirs jobstates jobtexts keymaps mailpath mapfile manpath module_path modules nameddirs options parameters patchars path pipestatus prompt psvar reswords saliases signals status termcap terminfo userdirs usergroups watch widgets zsh_eval_context zsh_scheduled_events",
);

/** True for a variable that zsh treats specially and bash does not, or not in the same way. */
export const isSpecialInZsh = (name: string) => VARIABLES.has(name);

const BUILTINS: Readonly<Record<string, Differences>> = {
  exit: numbers("exit"),
  logout: numbers("logout"),
  return: numbers("return"),
  break: numbers("break"),
  continue: numbers("continue"),
  shift: numbers("shift"),
  printf: printed,
  test: tested,
  "[": tested,
  read: named,
  export: named,
  declare: named,
  typeset: named,
  local: named,
  readonly: named,
  getopts: named,
  mapfile: named,
  readarray: named,
  wait: named,
  unset: named,
  // In zsh `-f` is a different option, and `-A` fills a variable.
  set: (texts) =>
    texts.every((text) => /^[-+][euvxa]*o?$|^--$|^(?:pipefail|errexit|nounset|xtrace|verbose|allexport)$/.test(text))
      ? []
      : [zsh("these options of set")],
  cd: folders,
  pushd: folders,
  // Other shells interpret escapes by default.
  echo: (texts) => (texts.some((text) => text.includes("\\")) ? [{ in: "both", what: "a backslash in echo" }] : []),
};

function builtinDifferences(name: string, texts: readonly string[]): readonly ShellDifference[] {
  return Object.hasOwn(BUILTINS, name) ? (BUILTINS[name]?.(texts) ?? []) : [];
}

function printed(texts: readonly string[]): readonly ShellDifference[] {
  const options = texts[0] === "-v" ? texts.slice(0, 2) : [];
  const [format = "", ...values] = texts.slice(options.length).filter((text, index) => index > 0 || text !== "--");
  const plain = !format.includes(UNKNOWN) && (TEXT_FORMAT.test(format) || values.every(isNumber));
  return [...named(options.slice(1)), ...(plain ? [] : [zsh("a number in printf")])];
}

function tested(texts: readonly string[]): readonly ShellDifference[] {
  const terminals = texts.filter((_, index) => texts[index - 1] === "-t");
  return [
    ...(terminals.every((text) => isNumber(text) || text === "]") ? [] : [zsh("what -t computes")]),
    ...(texts.includes("-v") ? [zsh("a test of a variable")] : []),
  ];
}

function folders(texts: readonly string[]): readonly ShellDifference[] {
  const operands = texts.filter((text) => !/^-[LPe@]+$|^--$/.test(text));
  if (operands.length > 1) return [{ in: "both", what: "a second folder" }];
  return /^[-+]\d/.test(operands[0] ?? "") ? [zsh("a numbered folder")] : [];
}

/** A construct that bash and another shell read differently. */
export interface ShellDifference {
  /** The shells that differ from bash. */
  readonly in: "zsh" | "sh" | "both";
  /** The construct, for display. */
  readonly what: string;
}

/** True if a difference matters for the shell that will run. */
export function matters(difference: ShellDifference, shell: RunningShell): boolean {
  return shell !== "bash" && (shell === "any" || difference.in !== "zsh");
}

export const differenceText = ({ what }: ShellDifference, shell: RunningShell) =>
  `${shell === "sh" ? "sh" : "zsh or sh"} would read ${what} differently from bash, and it is not certain that bash runs this`;

/** Words that zsh executes itself, where bash would look for a program. */
const COMMANDS = words(
  "- autoload bindkey bye chdir compadd comparguments compcall compctl compdescribe compfiles compgroups compquote compset comptags comptry compvalues disable echotc echoti emulate end float foreach functions getln integer limit log nocorrect noglob print private pushln r rehash repeat sched setopt ttyctl unfunction unhash unlimit unsetopt vared zcompile zformat zle zmodload zparseopts zregexparse zstyle always nocorrect",
);

/** True for a word that only zsh executes itself. Some of these are mere lookups, and are listed all the same. */
export const isCommandOfZsh = (name: string) => COMMANDS.has(name);
