/** Each of these loads code into a program that did not ask for it, or leads git to another repository. */
const CODE_LOADERS = new Set(
  "NODE_OPTIONS NODE_REPL_EXTERNAL_MODULE BASH_ENV ENV PROMPT_COMMAND SHELLOPTS BASHOPTS PS4 LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES PERL5OPT RUBYOPT PYTHONSTARTUP JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS GIT_EXTERNAL_DIFF GIT_ASKPASS SSH_ASKPASS GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE".split(
    " ",
  ),
);

/** Names that hold secrets. */
const SECRET =
  /(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH|COOKIE|PAT|DSN)(?:_|$)|APIKEY|SSH_AUTH_SOCK/i;

/** The person's environment without what loads code and without secrets, but for those in `keep`. */
export function cleanEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  keep: readonly string[] = [],
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || CODE_LOADERS.has(name) || name.startsWith("BASH_FUNC_")) continue;
    if (keep.includes(name) || !SECRET.test(name)) kept[name] = value;
  }
  return kept;
}
