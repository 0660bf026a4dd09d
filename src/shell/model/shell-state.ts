import { isDangerous } from "../../lib/process/dangerous-variables.ts";
import { doubt, type Effect } from "./effect.ts";
import { isKnown, UNKNOWN_WORD, type Word, word } from "./word.ts";

/** The shell's state at one point. */
export interface ShellState {
  cwd: string;
  /** Where it would be if a `cd` failed. */
  otherCwds: readonly string[];
  /** The target of `cd -`, if a `cd` in the same chain has set it. */
  previousCwd: string | undefined;
  /** Assigned variables; UNKNOWN text if the value is only known at run time. */
  readonly variables: Map<string, Word>;
}

export function copyState(state: ShellState): ShellState {
  return { ...state, variables: new Map(state.variables) };
}

/** A command's standard input, as far as it is known. */
export type Feed =
  | { readonly kind: "none" | "unknown" }
  /** `sure` unless the text is only a guess. */
  | { readonly kind: "text"; readonly text: string; readonly sure: boolean }
  /** File names, described by these words. */
  | { readonly kind: "files"; readonly files: readonly Word[] };

/** Variables that affect a program's output or its own domain, but not what it runs, reads or connects to. */
const BENIGN =
  /^(?:CI|NODE_ENV|RUST_\w+|\w+_COLOR|CLICOLOR|CLICOLOR_FORCE|TZ|LANG|LANGUAGE|LC_\w+|DEBUG|VERBOSE|TERM|COLUMNS|LINES|LOG_LEVEL|LOGLEVEL|PORT|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONHASHSEED|PYTHONIOENCODING|PYTHONUTF8|NODE_NO_WARNINGS|GOOS|GOARCH|CGO_ENABLED|GIT_TERMINAL_PROMPT|GIT_OPTIONAL_LOCKS|CARGO_INCREMENTAL|CARGO_TERM_\w+|COVERAGE|WATCH|TEST|BABEL_ENV|APP_ENV|RAILS_ENV|RACK_ENV|MIX_ENV|FLASK_ENV|DJANGO_DEBUG|VITEST|JEST_WORKER_ID|UPDATE_SNAPSHOTS?|SEED|SKIP_(?!\w*(?:HOOK|HUSKY|COMMIT|VERIFY))\w+|npm_config_(?:loglevel|fund|audit|progress))$/;

const EMPTY_PAGER = /^(?:PAGER|GIT_PAGER|MANPAGER|GH_PAGER|AWS_PAGER|BAT_PAGER|SYSTEMD_PAGER)$/;

const EMPTY_EDITOR = /^(?:EDITOR|VISUAL|GIT_EDITOR|GIT_SEQUENCE_EDITOR)$/;

/** Variables that affect what runs later even without `export`, in addition to lib/dangerous-variables.ts. */
const POISON =
  /^(?:PATH|IFS|HOME|SHELL|BASH_\w+|PS[0-4]|FIGNORE|GLOBIGNORE|HISTFILE|HISTCONTROL|SSH_\w+|NODE_\w+|npm_\w+|NPM_\w+|PYTHON\w*|PERL\w*|RUBY\w*|JAVA\w*|_JAVA\w*|MAVEN_\w+|GRADLE_\w+|GO\w*|RUSTC?\w*|CARGO_\w+|MAKE\w*|CC|CXX|LESS\w*|MORE|PAGER|MANPAGER|EDITOR|VISUAL|BROWSER|\w*_PROXY|\w*_proxy|TMPDIR|TEMP|TMP|XDG_\w+|DOCKER_\w+|KUBECONFIG|AWS_\w+|SUDO_\w+|EXEC\w*|OPENSSL_\w+|SSL_\w+|CURL_\w+|WGETRC|GREP_OPTIONS|TAR_OPTIONS|RIPGREP_CONFIG_PATH|TERMINFO\w*|LOCPATH|NLSPATH|MALLOC_\w+|GCONV_PATH|HOSTALIASES|RES_OPTIONS|LOCALDOMAIN|VIRTUAL_ENV|NVM_\w+|PIP_\w+|UV_\w+|OLDPWD|PWD|OPTIND|REPLY|RANDOM)$/;

/** A variable visible to this command or later ones. */
export function exportEffects(name: string, value: Word): readonly Effect[] {
  if (BENIGN.test(name) && !(name === "TZ" && /^:?\//.test(value.text))) return [];
  if (EMPTY_PAGER.test(name) && /^(?:cat|)$/.test(value.text)) return [];
  if (EMPTY_EDITOR.test(name) && /^(?:true|:)$/.test(value.text)) return [];
  if (name.startsWith("BASH_FUNC_"))
    return [
      doubt("environment", "defines a function for later shells"),
      { kind: "script", word: { ...value, text: `exported ${value.text}` }, sure: false },
    ];
  return [doubt("environment", `the variable ${name} can change what a program runs, reads or connects to`)];
}

/** True for a variable that programs or the shell itself act on. */
export function isPoison(name: string): boolean {
  return POISON.test(name) || isDangerous(name);
}

/** A shell variable that is not exported. */
function assignmentEffects(name: string, value: Word): readonly Effect[] {
  return isPoison(name) ? exportEffects(name, value) : [];
}

/**
 * Assigns a value to a name: remembers it and returns any doubts. Every way to set a variable ends here: assignments,
 * loops and builtins.
 */
export function assign(
  { name, value, exported }: Omit<Extract<Effect, { kind: "assign" }>, "kind">,
  state: ShellState,
): readonly Effect[] {
  if (!isKnown(name)) {
    // It may be any variable.
    for (const known of state.variables.keys()) state.variables.set(known, UNKNOWN_WORD);
    return [doubt("environment", "which variable it sets is only known at run time")];
  }
  if (name.text.includes("[")) return [doubt("subscript", "a subscript is evaluated as code")];
  const kept = value ?? state.variables.get(name.text);
  if (kept !== undefined) state.variables.set(name.text, value ?? { ...kept });
  const now = state.variables.get(name.text) ?? word("");
  // With several possible values, don't treat it as one of the known harmless ones.
  const judged = now.others === undefined ? now : UNKNOWN_WORD;
  return exported ? exportEffects(name.text, judged) : assignmentEffects(name.text, judged);
}

const SHOWN_FREELY =
  /^(?:HOME|PWD|OLDPWD|USER|LOGNAME|PATH|SHELL|LANG|LC_\w+|TERM|CI|NODE_ENV|TMPDIR|HOSTNAME|SHLVL|UID|EUID|PPID|RANDOM|SECONDS|LINENO|BASH_VERSION|COLUMNS|LINES|EDITOR|OSTYPE|MACHTYPE|VIRTUAL_ENV|GOPATH|GOROOT|JAVA_HOME|CARGO_HOME|NVM_DIR|PIPESTATUS|TZ|DEBUG|BASH_SOURCE|FUNCNAME|SHELLOPTS|XDG_\w+|EPOCHSECONDS)$/;

/** True for an environment variable that may be printed. */
export function isHarmlessVariable(name: string): boolean {
  return SHOWN_FREELY.test(name);
}
