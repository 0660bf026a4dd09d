import { doubt, type Effect } from "./effect.ts";
import { assignmentEffects, exportEffects, isPoison } from "./environment.ts";
import { trapEffects } from "./trap.ts";
import { type Word, word } from "./word.ts";

/** Effects of a word that the shell itself carries out; undefined when it is none. `inert` ones need no rule. */
export function builtinEffects(
  name: string,
  words: readonly Word[],
): { readonly effects: readonly Effect[]; readonly inert: boolean } | undefined {
  const builtin = Object.hasOwn(BUILTINS, name) ? BUILTINS[name] : undefined;
  return builtin === undefined ? undefined : builtin(words);
}

type Builtin = (words: readonly Word[]) => { readonly effects: readonly Effect[]; readonly inert: boolean };

const inert: Builtin = () => ({ effects: [], inert: true });
const asks =
  (code: string, because: string): Builtin =>
  () => ({ effects: [doubt(code, because)], inert: true });

const BUILTINS: Readonly<Record<string, Builtin>> = {
  ":": inert,
  exit: inert,
  return: inert,
  break: inert,
  continue: inert,
  shift: inert,
  wait: unlessEvaluated,
  times: inert,
  jobs: inert,
  umask: inert,
  ulimit: inert,
  getopts: unlessEvaluated,
  type: inert,
  unset: (words) => ({
    effects: words.flatMap(({ text }): readonly Effect[] => {
      if (text.includes("[") || /^-\w*f/.test(text))
        return [doubt("subscript", "a subscript is evaluated as code, or a function goes")];
      return isPoison(text)
        ? [doubt("environment", `without ${text} later programs run, read or reach something else`)]
        : [];
    }),
    inert: true,
  }),
  cd: changeFolder,
  pushd: changeFolder,
  popd: () => ({ effects: [{ kind: "chdir", word: word("-") }], inert: true }),
  set: (words) => ({
    effects:
      words.length === 0 ||
      !words.every(({ text }) =>
        /^[-+][a-zA-Z]+$|^--$|^(?:pipefail|errexit|nounset|xtrace|verbose|noglob|noclobber|allexport)$/.test(text),
      )
        ? [doubt("secret-environment", "it shows or replaces what the shell holds")]
        : [],
    inert: true,
  }),
  shopt: (words) => ({
    effects: words.every(({ text }) =>
      /^-[squpo]$|^(?:nullglob|globstar|dotglob|failglob|extglob|nocaseglob|pipefail|lastpipe|inherit_errexit)$/.test(
        text,
      ),
    )
      ? []
      : [doubt("shell-option", "it changes how the shell reads commands")],
    inert: true,
  }),
  export: (words) => exporting(words, exportEffects),
  declare: (words) =>
    exporting(words, words.some(({ text }) => /^-\w*x/.test(text)) ? exportEffects : assignmentEffects),
  typeset: (words) =>
    exporting(words, words.some(({ text }) => /^-\w*x/.test(text)) ? exportEffects : assignmentEffects),
  local: (words) => exporting(words, assignmentEffects),
  readonly: (words) => exporting(words, assignmentEffects),
  eval: (words) => ({
    effects: [{ kind: "script", word: word(words.map(({ text }) => text).join(" ")), sure: true }],
    inert: true,
  }),
  trap: (words) => ({ effects: trapEffects(words), inert: true }),
  source: sourcing,
  ".": sourcing,
  read: (words) => ({
    effects: words.some(({ text }) => text.includes("["))
      ? [doubt("subscript", "a subscript is evaluated as code")]
      : [],
    inert: true,
  }),
  let: asks("subscript", "arithmetic is evaluated as code"),
  mapfile: asks("runs-program", "it can run a command for each line"),
  readarray: asks("runs-program", "it can run a command for each line"),
  alias: (words) => ({
    effects: [
      doubt("alias", "it gives a name another meaning"),
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
  enable: asks("shell-option", "it loads or hides built-ins"),
  hash: asks("alias", "it gives a name another meaning"),
  fc: asks("history", "it edits and runs the history"),
  dirs: inert,
  disown: asks("persists", "it leaves something running"),
  coproc: asks("runs-program", "it starts a process"),
};

const EVALUATED = doubt("subscript", "the shell evaluates such a word again, as code");

/** Text that a built-in which takes names of variables would run: a subscript, or a substitution that was quoted. */
const isEvaluatedAgain = ({ text }: Word) => /`|\$\(|[<>]\(|\$\{/.test(text);

function unlessEvaluated(words: readonly Word[]): { readonly effects: readonly Effect[]; readonly inert: boolean } {
  const evaluated = words.some((item) => isEvaluatedAgain(item) || item.text.includes("["));
  return { effects: evaluated ? [EVALUATED] : [], inert: true };
}

function changeFolder(words: readonly Word[]): { readonly effects: readonly Effect[]; readonly inert: boolean } {
  const folder = words.find(({ text }) => !/^-[LPe@]+$|^--$/.test(text)) ?? word("~");
  return { effects: [{ kind: "chdir", word: folder }], inert: true };
}

function sourcing(words: readonly Word[]): { readonly effects: readonly Effect[]; readonly inert: boolean } {
  return {
    effects: [{ kind: "read", word: words[0] ?? word("") }, doubt("opaque-code", "it runs the lines of a file")],
    inert: false,
  };
}

function exporting(
  words: readonly Word[],
  judge: (name: string, value: Word) => readonly Effect[],
): { readonly effects: readonly Effect[]; readonly inert: boolean } {
  const names = words.filter(({ text }) => !text.startsWith("-"));
  if (names.length === 0 || words.some(({ text }) => /^-\w*[pfF]/.test(text)))
    return { effects: [doubt("secret-environment", "it shows variables")], inert: true };
  if (words.some(({ text }) => /^-\w*[in]/.test(text)))
    return { effects: [doubt("subscript", "it makes the shell evaluate values as code")], inert: true };
  if (words.some(isEvaluatedAgain)) return { effects: [EVALUATED], inert: true };
  const effects = names.flatMap((item) => {
    const equals = item.text.indexOf("=");
    if (equals === -1) return judge(item.text, word(""));
    if (item.text.slice(0, equals).includes("[")) return [doubt("subscript", "a subscript is evaluated as code")];
    return judge(item.text.slice(0, equals), { ...item, text: item.text.slice(equals + 1) });
  });
  return { effects, inert: true };
}
