import { doubt, type Effect } from "../model/effect.ts";
import { type Feed, isPoison } from "../model/shell-state.ts";
import { isKnown, UNKNOWN, type Word, word } from "../model/word.ts";
import { type ProgramGrammar, readArguments } from "../programs/options.ts";
import { printedText } from "./known-output.ts";

/** The effects of a shell builtin; undefined if it is not one. `inert` builtins need no rule. */
export function builtinEffects(
  name: string,
  words: readonly Word[],
  feed: Feed,
): { readonly effects: readonly Effect[]; readonly inert: boolean } | undefined {
  const setter = Object.hasOwn(SETTERS, name) ? SETTERS[name] : undefined;
  if (setter !== undefined) return { effects: setter(words, feed), inert: name !== "printf" };
  const builtin = Object.hasOwn(BUILTINS, name) ? BUILTINS[name] : undefined;
  return builtin === undefined ? undefined : builtin(words);
}

type Builtin = (words: readonly Word[]) => { readonly effects: readonly Effect[]; readonly inert: boolean };

const inert: Builtin = () => ({ effects: [], inert: true });

const asks =
  (code: string, because: string): Builtin =>
  () => ({ effects: [doubt(code, because)], inert: true });

const PLAIN_SETTING = /^[-+][a-zA-Z]+$|^--$|^(?:pipefail|errexit|nounset|xtrace|verbose|noglob|noclobber)$/;

const UNKNOWN_FOLDER = word(UNKNOWN);

const RUNS_AGAIN = /`|\$\(|[<>]\(|\$\{/;

const EVALUATED = doubt("subscript", "the shell evaluates this word again, as code");

/** The shell's own blanks. Any other white space is part of a command's name. */
const NO_ACTION = /^(?:[ \t\n]*|-)$/;

const NO_ACTION_OR_OPTION = /^(?:[ \t\n]*|-|-[lp]+)$/;

const SIGNAL =
  /^(?:\d{1,2}|EXIT|ERR|DEBUG|RETURN|(?:SIG)?(?:HUP|INT|QUIT|ABRT|ALRM|TERM|USR1|USR2|PIPE|CHLD|CONT|STOP|TSTP|TTIN|TTOU|WINCH|URG|XCPU|XFSZ|VTALRM|PROF|IO|SYS|TRAP|BUS|FPE|ILL|SEGV|KILL))$/;

const isSignal = (item: Word) => isKnown(item) && SIGNAL.test(item.text);

const BUILTINS: Readonly<Record<string, Builtin>> = {
  ":": inert,
  exit: inert,
  return: inert,
  break: inert,
  continue: inert,
  shift: inert,
  times: inert,
  jobs: inert,
  umask: inert,
  ulimit: inert,
  type: inert,
  unset: (words) => ({
    effects: words.flatMap((item): readonly Effect[] => {
      const { text } = item;
      if (text.includes("[") || /^-\w*f/.test(text))
        return [doubt("subscript", "a subscript is evaluated as code, or a function is removed")];
      if (/^-[vn]+$/.test(text)) return [];
      return isPoison(text)
        ? [doubt("environment", `without ${text}, later programs may run, read or connect to something else`)]
        : [{ kind: "assign", name: item, value: word(""), exported: false }];
    }),
    inert: true,
  }),
  cd: changeFolder,
  pushd: (words) => changeFolder(words.length === 0 ? [word("-")] : words),
  popd: (words) => changeFolder(words.length === 0 ? [word("-")] : [UNKNOWN_FOLDER]),
  set: settings,
  shopt: (words) => ({
    effects: words.every(({ text }) =>
      /^-[squpo]$|^(?:nullglob|globstar|failglob|extglob|nocaseglob|pipefail|lastpipe|inherit_errexit)$/.test(text),
    )
      ? []
      : [doubt("shell-option", "changes how the shell parses commands")],
    inert: true,
  }),
  export: (words) => ({ effects: declaring(words, true), inert: true }),
  declare: (words) => ({ effects: declaring(words, false), inert: true }),
  typeset: (words) => ({ effects: declaring(words, false), inert: true }),
  local: (words) => ({ effects: declaring(words, false), inert: true }),
  readonly: (words) => ({ effects: declaring(words, false), inert: true }),
  eval: (words) => ({
    effects: [{ kind: "script", word: word(words.map(({ text }) => text).join(" ")), sure: true }],
    inert: true,
  }),
  trap: (words) => ({ effects: trapEffects(words), inert: true }),
  source: sourcing,
  ".": sourcing,
  let: asks("subscript", "arithmetic is evaluated as code"),
  alias: (words) => ({
    effects: [
      doubt("alias", "gives a name another meaning"),
      ...words.flatMap(({ text }): Effect[] =>
        text.includes("=") ? [{ kind: "script", word: word(text.slice(text.indexOf("=") + 1)), sure: false }] : [],
      ),
    ],
    inert: true,
  }),
  unalias: inert,
  complete: asks("runs-program", "completions run commands"),
  compgen: asks("runs-program", "completions run commands"),
  bind: asks("runs-program", "key bindings run commands"),
  enable: asks("shell-option", "loads or disables built-ins"),
  hash: asks("alias", "gives a name another meaning"),
  fc: asks("history", "edits and reruns commands from the history"),
  dirs: inert,
  disown: asks("persists", "leaves something running"),
  coproc: asks("runs-program", "starts a process"),
};

/** `set`: switches, and the positional parameters after `--`. */
function settings(words: readonly Word[]): { readonly effects: readonly Effect[]; readonly inert: boolean } {
  const end = words.findIndex(({ text }) => text === "--");
  const values = end === -1 ? [] : words.slice(end + 1);
  const all = word(values.map(({ text }) => text).join(" "));
  return {
    effects: [
      ...(words.some(({ text }) => /^-[a-zA-Z]*a/.test(text))
        ? [doubt("environment", "exports every variable that is set later")]
        : []),
      ...(words.length === 0 || !words.every(({ text }) => PLAIN_SETTING.test(text))
        ? [doubt("secret-environment", "shows or replaces the shell's variables and settings")]
        : []),
      ...[...values.slice(0, 9), all].map((value, index): Effect => {
        const name = word(value === all ? "@" : String(index + 1));
        return { kind: "assign", name, value, exported: false };
      }),
    ],
    inert: true,
  };
}

/** Several folders or an index into the directory stack are not a literal folder. */
function changeFolder(words: readonly Word[]): { readonly effects: readonly Effect[]; readonly inert: boolean } {
  const options = words.findIndex(({ text }) => !/^-[LPe@]+$|^-n$/.test(text));
  const rest = options === -1 ? [] : words.slice(words[options]?.text === "--" ? options + 1 : options);
  const [folder = word("~"), ...more] = rest;
  const stacked = isKnown(folder) && /^[-+]\d+$/.test(folder.text);
  return { effects: [{ kind: "chdir", word: stacked || more.length > 0 ? UNKNOWN_FOLDER : folder }], inert: true };
}

function sourcing(words: readonly Word[]): { readonly effects: readonly Effect[]; readonly inert: boolean } {
  return {
    effects: [{ kind: "read", word: words[0] ?? word("") }, doubt("opaque-code", "runs the commands in a file")],
    inert: false,
  };
}

type Setter = (words: readonly Word[], feed: Feed) => readonly Effect[];

const READ = grammar("-ers -a: -d: -i: -n: -N: -p: -t: -u:");

const WAIT = grammar("-fn -p:");

const PRINTF = grammar("-v:");

const MAPFILE = grammar("-t -d: -n: -O: -s: -u: -C: -c:");

/** Builtins that assign values to the variables they name. */
const SETTERS: Readonly<Record<string, Setter>> = {
  read: (words, feed) => {
    const { options, operands } = readArguments(READ, words);
    const arrays = options.flatMap(({ name, value }) => (name === "-a" ? (value ?? []) : []));
    const names = arrays.length > 0 ? arrays : operands;
    return [...evaluated(names), ...names.flatMap((name, index) => setTo(name, lineWord(feed, names, index)))];
  },
  mapfile: fillArray,
  readarray: fillArray,
  getopts: (words) => [...evaluated(words), ...(words[1] === undefined ? [] : setTo(words[1], word(UNKNOWN)))],
  wait: (words) => {
    const { options } = readArguments(WAIT, words);
    const names = options.flatMap(({ name, value }) => (name === "-p" ? (value ?? []) : []));
    return [...evaluated(words), ...names.flatMap((name) => setTo(name, word(UNKNOWN)))];
  },
  printf: (words) => {
    const [first] = words;
    if (first === undefined) return [];
    // A format only known at run time may be the option.
    if (!isKnown(first) && /^[\u0000-]/.test(first.text)) return setTo(word(UNKNOWN), word(UNKNOWN));
    const { options, operands } = readArguments(PRINTF, words);
    const [name] = options.flatMap(({ value }) => value ?? []);
    if (name === undefined) return options.length === 0 ? [] : setTo(word(UNKNOWN), word(UNKNOWN));
    return [...evaluated([name]), ...setTo(name, printedValue(operands))];
  },
};

function grammar(options: string): ProgramGrammar {
  return { options, operands: ":", style: "first" };
}

function setTo(name: Word, value: Word): readonly Effect[] {
  return [{ kind: "assign", name, value, exported: false }];
}

function fillArray(words: readonly Word[]): readonly Effect[] {
  const { operands } = readArguments(MAPFILE, words);
  const [name = word("MAPFILE")] = operands;
  return [doubt("runs-program", "can run a command for each line"), ...setTo(name, word(UNKNOWN))];
}

/** What `read` may assign to a name. Only a guess, because shells split the line differently. */
function lineWord(feed: Feed, names: readonly Word[], index: number): Word {
  if (feed.kind !== "text") return word(UNKNOWN);
  const line = (feed.text.split("\n")[0] ?? "").trim();
  const parts = line.split(/[ \t]+/);
  return {
    ...word(UNKNOWN),
    others: [(index === names.length - 1 ? parts.slice(index).join(" ") : parts[index]) ?? ""],
  };
}

function printedValue(words: readonly Word[]): Word {
  const printed = printedText("printf", words);
  if (printed === undefined) return word(UNKNOWN);
  return printed.text === undefined ? { ...word(UNKNOWN), others: [printed.likely] } : word(printed.text);
}

/** A builtin that takes names evaluates subscripts and quoted substitutions in them as code. */
function evaluated(words: readonly Word[]): readonly Effect[] {
  return words.some(({ text }) => text.includes("[") || RUNS_AGAIN.test(text)) ? [EVALUATED] : [];
}

/** `export`, `declare` and similar: each word is a name, or a name with a value. */
function declaring(words: readonly Word[], exports: boolean): readonly Effect[] {
  const has = (letters: RegExp) => words.some(({ text }) => letters.test(text));
  const names = words.filter(({ text }) => !text.startsWith("-"));
  if (names.length === 0 || has(/^-\w*[pfF]/)) return [doubt("secret-environment", "shows variables")];
  if (has(/^-\w*[in]/)) return [doubt("subscript", "makes the shell evaluate values as code")];
  if (has(RUNS_AGAIN)) return [EVALUATED];
  const exported = exports || has(/^-\w*x/);
  return names.map((item): Effect => {
    const equals = item.text.indexOf("=");
    const appends = item.text[equals - 1] === "+";
    const name = word(equals === -1 ? item.text : item.text.slice(0, appends ? equals - 1 : equals));
    if (equals === -1) return { kind: "assign", name, value: undefined, exported };
    const others = item.others?.map((other) => other.slice(other.indexOf("=") + 1));
    const value = { text: item.text.slice(equals + 1), glob: item.glob, ...(others === undefined ? {} : { others }) };
    return { kind: "assign", name, value: appends ? word(UNKNOWN) : value, exported };
  });
}

/** True for a builtin whose words are assignments; the shell does not split their values. */
export function declares(name: string): boolean {
  return /^(?:export|declare|typeset|local|readonly)$/.test(name);
}

/** What `trap` will run later. An empty action ignores the signals, a dash resets them, and -l and -p only print. */
function trapEffects(words: readonly Word[]): readonly Effect[] {
  const dashes = words[0]?.text === "--";
  const [action, ...signals] = dashes ? words.slice(1) : words;
  if (action === undefined || (signals.length === 0 && isKnown(action))) return [];
  const runsNothing = isKnown(action) && (dashes ? NO_ACTION : NO_ACTION_OR_OPTION).test(action.text);
  // An unquoted word can vanish at run time, which makes the next one the action. Only a signal name certainly isn't
  // one.
  const scripts = runsNothing ? signals.filter((item) => !isSignal(item)) : [action];
  return scripts.map((script): Effect => ({ kind: "script", word: script, sure: true }));
}
