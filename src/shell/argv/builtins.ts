import { doubt, type Effect } from "../model/effect.ts";
import { isPoison } from "./environment.ts";
import type { Feed } from "../model/state.ts";
import { declaring, SETTERS } from "./setters.ts";
import { trapEffects } from "./trap.ts";
import { isKnown, UNKNOWN, type Word, word } from "../model/word.ts";

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

const PLAIN_SETTING = /^[-+][a-zA-Z]+$|^--$|^(?:pipefail|errexit|nounset|xtrace|verbose|noglob|noclobber)$/;

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

const UNKNOWN_FOLDER = word(UNKNOWN);

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
