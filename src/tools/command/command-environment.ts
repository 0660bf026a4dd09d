import { delimiter, isAbsolute } from "node:path";
import { isInside } from "../../lib/inside.ts";

/** Marks every process of one command, so that it is found again wherever it went. */
export const COMMAND_VARIABLE = "SIGNALBOX_COMMAND";

/** Each of these loads code into a program that did not ask for it, or leads git to another repository. */
const CODE_LOADERS = new Set(
  "NODE_OPTIONS NODE_REPL_EXTERNAL_MODULE BASH_ENV ENV PROMPT_COMMAND SHELLOPTS BASHOPTS PS4 LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES PERL5OPT RUBYOPT PYTHONSTARTUP JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS GIT_EXTERNAL_DIFF GIT_ASKPASS SSH_ASKPASS GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE".split(
    " ",
  ),
);

/** Names that hold secrets: a command of a model has no business with them. */
const SECRET =
  /(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH|COOKIE|PAT|DSN)(?:_|$)|APIKEY|SSH_AUTH_SOCK/i;

/** Nobody sits at the terminal of a command. */
const UNATTENDED = { TERM: "dumb", PAGER: "cat", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0", GIT_EDITOR: "true" };

interface CommandPlace {
  readonly workspace: string;
  /** Secrets that the person lets commands have, by name. */
  readonly keep?: readonly string[] | undefined;
}

/**
 * The environment of a command: the person's, without secrets and without what loads code. PATH loses its relative
 * entries and those in the workspace: a file put there must not stand for a program that was judged by its name.
 */
export function commandEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  { workspace, keep = [] }: CommandPlace,
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || CODE_LOADERS.has(name) || name.startsWith("BASH_FUNC_")) continue;
    if (keep.includes(name) || !SECRET.test(name)) kept[name] = value;
  }
  const folders = (environment["PATH"] ?? "").split(delimiter);
  const path = folders.filter((folder) => isAbsolute(folder) && !isInside(folder, workspace)).join(delimiter);
  return { ...kept, ...UNATTENDED, PATH: path === "" ? "/usr/local/bin:/usr/bin:/bin" : path };
}
