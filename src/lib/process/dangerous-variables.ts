/** The programs that a variable affects. `linker` is the dynamic linker, so every program. */
type Program = "linker" | "shell" | "node" | "perl" | "python" | "ruby" | "java" | "git";

/**
 * What a variable does:
 * - `preload`: code from it runs before the program's own first line.
 * - `code`: code from it runs later, for example before each prompt.
 * - `search`: the program searches for its own code there. People set these for good reasons.
 * - `redirect`: points the program to another repository, folder or helper program.
 * - `trust`: determines whom the program trusts. People set these for good reasons.
 * - `other`: any other setting of the same family.
 */
type Kind = "preload" | "code" | "search" | "redirect" | "trust" | "other";

interface DangerousVariable {
  /** A name, or a prefix when it ends in `*`. */
  readonly name: string;
  readonly program: Program;
  readonly kind: Kind;
  readonly because: string;
  /** Bash refuses to unset it, and a POSIX shell exits when it refuses. */
  readonly readonly?: true;
}

/**
 * Every variable that loads code into a program or redirects it. This is the only such list; callers select by kind.
 */
export const DANGEROUS_VARIABLES: readonly DangerousVariable[] = [
  { name: "LD_PRELOAD", program: "linker", kind: "preload", because: "loads a library into every program" },
  { name: "LD_AUDIT", program: "linker", kind: "preload", because: "loads an audit library into every program" },
  { name: "DYLD_INSERT_LIBRARIES", program: "linker", kind: "preload", because: "loads a library into every program" },
  { name: "LD_LIBRARY_PATH", program: "linker", kind: "search", because: "replaces the libraries of every program" },
  { name: "DYLD_LIBRARY_PATH", program: "linker", kind: "search", because: "replaces the libraries of every program" },
  { name: "LD_*", program: "linker", kind: "other", because: "configures the dynamic linker" },
  { name: "DYLD_*", program: "linker", kind: "other", because: "configures the dynamic linker" },
  { name: "ENV", program: "shell", kind: "preload", because: "sh runs this file on startup" },
  { name: "BASH_ENV", program: "shell", kind: "preload", because: "bash runs this file before every script" },
  { name: "BASH_FUNC_*", program: "shell", kind: "code", because: "bash runs this function instead of a command" },
  { name: "PROMPT_COMMAND", program: "shell", kind: "code", because: "bash runs it before each prompt" },
  { name: "PS4", program: "shell", kind: "code", because: "bash runs the commands in it while tracing" },
  { name: "SHELLOPTS", program: "shell", kind: "code", because: "turns tracing on, which runs PS4", readonly: true },
  { name: "BASHOPTS", program: "shell", kind: "code", because: "changes how bash parses a script", readonly: true },
  { name: "ZDOTDIR", program: "shell", kind: "search", because: "zsh runs the startup files in this folder" },
  { name: "FPATH", program: "shell", kind: "search", because: "zsh and ksh load functions from these folders" },
  { name: "CDPATH", program: "shell", kind: "redirect", because: "redirects cd to another folder" },
  { name: "NODE_OPTIONS", program: "node", kind: "preload", because: "can contain --require and --import" },
  { name: "NODE_REPL_EXTERNAL_MODULE", program: "node", kind: "code", because: "replaces Node's own prompt" },
  { name: "NODE_PATH", program: "node", kind: "search", because: "Node searches for modules there" },
  {
    name: "NODE_EXTRA_CA_CERTS",
    program: "node",
    kind: "trust",
    because: "Node trusts these certificate authorities",
  },
  { name: "PERL5OPT", program: "perl", kind: "preload", because: "can contain -M, which loads a module" },
  { name: "PERL5LIB", program: "perl", kind: "search", because: "Perl searches for modules there" },
  { name: "PERLLIB", program: "perl", kind: "search", because: "Perl searches for modules there" },
  { name: "PYTHONSTARTUP", program: "python", kind: "code", because: "Python runs this file before its prompt" },
  { name: "PYTHONPATH", program: "python", kind: "search", because: "Python searches for modules there first" },
  { name: "PYTHONHOME", program: "python", kind: "search", because: "replaces Python's standard library" },
  { name: "RUBYOPT", program: "ruby", kind: "preload", because: "can contain -r, which loads a file" },
  { name: "RUBYLIB", program: "ruby", kind: "search", because: "Ruby searches for files there first" },
  { name: "JAVA_TOOL_OPTIONS", program: "java", kind: "preload", because: "can contain -javaagent" },
  { name: "JDK_JAVA_OPTIONS", program: "java", kind: "preload", because: "can contain -javaagent" },
  { name: "_JAVA_OPTIONS", program: "java", kind: "preload", because: "can contain -javaagent" },
  { name: "CLASSPATH", program: "java", kind: "search", because: "Java searches for classes there" },
  { name: "GIT_EXTERNAL_DIFF", program: "git", kind: "redirect", because: "git runs it to compare files" },
  { name: "GIT_ASKPASS", program: "git", kind: "redirect", because: "git runs it to ask for a password" },
  { name: "SSH_ASKPASS", program: "git", kind: "redirect", because: "git and ssh run it to ask for a password" },
  { name: "GIT_DIR", program: "git", kind: "redirect", because: "redirects git to another repository" },
  { name: "GIT_WORK_TREE", program: "git", kind: "redirect", because: "redirects git to another folder" },
  { name: "GIT_INDEX_FILE", program: "git", kind: "redirect", because: "redirects git to another index" },
  { name: "GIT_*", program: "git", kind: "other", because: "configures git: helpers, settings, repository" },
];

interface Part {
  readonly kinds?: readonly Kind[];
  readonly programs?: readonly Program[];
}

/** Whether a variable is in the list, or in a part of it. */
export const isDangerous = (name: string, part: Part = {}): boolean =>
  rows(part).some((row) => (row.name.endsWith("*") ? name.startsWith(row.name.slice(0, -1)) : name === row.name));

/** The names in a part of the list that a shell can unset. Prefixes are omitted, because they have no single name. */
export const unsettableNames = (part: Part = {}): readonly string[] =>
  rows(part)
    .filter((row) => row.readonly !== true && !row.name.endsWith("*"))
    .map((row) => row.name);

/** Variables that inject code into a program. No program that signalbox starts gets these. */
export const LOADS_CODE: Part = { kinds: ["preload", "code"] };

const rows = ({ kinds, programs }: Part) =>
  DANGEROUS_VARIABLES.filter((row) => kinds?.includes(row.kind) !== false && programs?.includes(row.program) !== false);

/** Words in the names of variables that hold secrets, between underscores. */
export const SECRET_WORDS: readonly string[] =
  "KEY TOKEN SECRET PASS PW PASSPHRASE CREDENTIAL CREDENTIALS AUTH COOKIE PAT DSN JWT".split(" ");

/** Secrets wherever they stand in a name. */
export const SECRET_PARTS: readonly string[] =
  "APIKEY SSH_AUTH_SOCK PASSWORD PASSWD SSHPASS MYSQL_PWD CONNECTION_STRING WEBHOOK".split(" ");

const SECRET = new RegExp(`(?:^|_)(?:${SECRET_WORDS.join("|")})(?:_|$)|${SECRET_PARTS.join("|")}`, "i");

/** Git settings by number. A key looks like a secret and a value may be one; git fails where only some are there. */
const GIT_SETTINGS = /^GIT_CONFIG_(?:COUNT$|KEY_|VALUE_)/;

/**
 * The user's environment without variables that load code or redirect a program, and without secrets, except those in
 * `keep`.
 */
export function cleanEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  keep: readonly string[] = [],
): Record<string, string> {
  const clean: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || isDangerous(name, { kinds: ["preload", "code", "redirect"] })) continue;
    if (keep.includes(name) || !(SECRET.test(name) || GIT_SETTINGS.test(name))) clean[name] = value;
  }
  return clean;
}
