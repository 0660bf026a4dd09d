import type { RunningShell } from "../../contract/agent-call.ts";
import { lexicalPath } from "../../lib/path/real-path.ts";
import { runningShell } from "../../lib/text/shell-words.ts";
import { doubt, type Effect } from "../model/effect.ts";
import { otherShellEffects } from "../model/shell-difference.ts";
import type { Feed } from "../model/shell-state.ts";
import { isKnown, isVariable, plainLine, splitText, UNKNOWN, type Word, word } from "../model/word.ts";
import { gitEffects } from "../programs/git-program.ts";
import { settingEffects } from "../programs/git-repository.ts";
import { effectsOf, isActive, type ProgramGrammar, readArguments } from "../programs/options.ts";
import { outsideEffects } from "../programs/outside.ts";
import { knownProgram } from "../programs/program-tables.ts";
import { builtinEffects, declares } from "./builtins.ts";
import { inputEffects, isShell, shellEffects } from "./interpreters.ts";
import { printedText } from "./known-output.ts";
import { delegated, unwrap } from "./wrappers.ts";
import { listedFiles, xargsEffects } from "./xargs.ts";

/** The forms in which rules may name an argv. */
export interface ArgvForms {
  /** The program's name as rules spell it: without a path if it is in a system folder. */
  readonly program: string;
  /** As written. */
  readonly raw: readonly Word[];
  /** Without options before the subcommand that are irrelevant to the rules. */
  readonly canonical: readonly Word[];
}

/** What an argv would do. */
export interface ArgvEffects {
  readonly forms: ArgvForms;
  readonly effects: readonly Effect[];
  /** A rule must allow it; otherwise the effects alone decide. */
  readonly needsRule: boolean;
  /** A change of folder persists after the command. */
  readonly keepsState: boolean;
  /** In a sandbox: what the program needs from outside. */
  readonly outside?: () => readonly Effect[];
}

interface ArgvPlace {
  readonly feed: Feed;
  readonly shell: RunningShell;
  /** The script itself may have created files whose names xargs would split. */
  readonly hasOddNames: () => boolean;
}

/** What the shell would do with these words: run a program that the tables know, or execute a builtin. */
export function argvEffects(words: readonly [Word, ...Word[]], place: ArgvPlace): ArgvEffects {
  const [first, ...rest] = words;
  const { name, program, effects } = programName(first.text);
  const plan = planArgv({ name, program, words, rest }, place);
  return { ...plan, effects: [...effects, ...otherShellEffects(name, rest, place.shell), ...plan.effects] };
}

interface Named {
  readonly name: string;
  readonly program: string;
  readonly words: readonly Word[];
  readonly rest: readonly Word[];
}

function planArgv({ name, program, words, rest }: Named, place: ArgvPlace): ArgvEffects {
  const { feed } = place;
  const forms = { program, raw: words, canonical: words };
  const transparent = { forms, needsRule: false, keepsState: false };
  const wrapped = name === "xargs" ? xargsEffects(rest, namesFed(rest, place)) : unwrap(name, rest, feed);
  // `command` and `builtin` run in the shell itself, so a change of folder or variable persists.
  if (wrapped !== undefined)
    return { ...transparent, effects: readBy("any", wrapped), keepsState: name === "command" || name === "builtin" };
  if (isShell(name)) {
    const effects = readBy(runningShell(name), shellEffects(rest, feed));
    return { ...transparent, effects, needsRule: !effects.some((effect) => effect.kind === "script" && effect.sure) };
  }
  if (name === "su") return { ...transparent, effects: suEffects(rest), needsRule: true };
  const builtin = builtinEffects(name, rest, feed);
  if (builtin !== undefined) return { forms, effects: builtin.effects, needsRule: !builtin.inert, keepsState: true };
  const canonical = canonicalise(program, words);
  return {
    forms: { ...forms, canonical: canonical.words },
    effects: readBy("any", [...canonical.effects, ...tableEffects(name, program, { words: canonical.words, feed })]),
    outside: () => outsideEffects(name, canonical.words),
    needsRule: true,
    keepsState: false,
  };
}

/**
 * Without `-0`, xargs splits a name at blanks and removes its quotes, so a name that the script created may become any
 * name.
 */
function namesFed(rest: readonly Word[], { feed, hasOddNames }: ArgvPlace): Feed {
  const whole = rest.some(({ text }) => text === "-0" || text === "--null");
  return feed.kind === "files" && !whole && hasOddNames() ? { kind: "unknown" } : feed;
}

/**
 * Sets the shell that reads these scripts. A program that takes a script may start any shell: sh, or the user's own.
 */
const readBy = (shell: RunningShell, effects: readonly Effect[]): readonly Effect[] =>
  effects.map((effect) => (effect.kind === "script" ? { shell, ...effect } : effect));

function suEffects(rest: readonly Word[]): readonly Effect[] {
  const at = rest.findIndex(({ text }) => text === "-c" || text === "--command");
  const script = rest[at + 1];
  return [
    doubt("escalates", "runs with different privileges", "deny"),
    ...(at === -1 || script === undefined ? [] : [{ kind: "script", word: script, sure: false } as const]),
  ];
}

/** What the tables know about the program, or the tool that it starts. */
function tableEffects(
  name: string,
  program: string,
  { words, feed }: { readonly words: readonly Word[]; readonly feed: Feed },
): readonly Effect[] {
  const tool = delegated(name, words);
  if (tool !== undefined)
    return [
      ...tool.effects,
      ...(tool.words.length === 0 ? [] : programEffects(tool.words[0]?.text ?? "", tool.words, feed)),
    ];
  return programEffects(program.includes("/") && knownProgram([program]) !== undefined ? program : name, words, feed);
}

const UNLISTED = { options: "", operands: "~", open: true };

function programEffects(name: string, words: readonly Word[], feed: Feed): readonly Effect[] {
  const found = knownProgram([name, ...words.slice(1).map(({ text }) => text)]);
  const feeds = feed.kind === "none" ? [] : interpreterInput(name, words);
  if (found === undefined) {
    const given = readArguments(UNLISTED, words.slice(1));
    return [
      ...effectsOf(UNLISTED, given).map((effect) => (effect.kind === "guess" ? { ...effect, writes: true } : effect)),
      ...feeds,
    ];
  }
  const { program, depth } = found;
  const rest = words.slice(depth);
  const open = rest.some((item) => item.open === true) ? [SEVERAL] : [];
  if (program.whole !== undefined) return [...program.whole(rest), ...open];
  const given = readArguments(program, rest);
  const subcommand = words[1]?.text ?? "";
  const repository = name === "git" ? gitEffects(subcommand, given) : [];
  return [
    ...repository,
    ...effectsOf(program, given),
    ...(program.more?.(given, rest) ?? []),
    ...feeds,
    ...(isActive(program) ? open : []),
  ];
}

const SEVERAL = doubt(
  "operand-unknown",
  "an unquoted value known only at run time may expand to options or several words",
);

/** Interpreters that read a program from standard input if they get no file. */
function interpreterInput(name: string, words: readonly Word[]): readonly Effect[] {
  return /^(?:python[\d.]*|node|perl|ruby|php|lua|deno|bun)$/.test(name) && words.length === 1
    ? inputEffects({ kind: "unknown" })
    : [];
}

/** The argv, followed by its variants with the other values its words may have. */
export function possibleArgvs(words: readonly Word[]): readonly (readonly Word[])[] {
  const most = words.reduce((count, { others }) => Math.max(count, others?.length ?? 0), 0);
  if (most === 0 || declares(words[0]?.text ?? "")) return [words];
  const others = Array.from({ length: most }, (_, index) => words.flatMap((item) => otherWords(item, index)));
  return [words.map(withoutOthers), ...others];
}

const mayVanish = ({ open, text }: Word) => open === true && text === UNKNOWN;

/** The argv if its unquoted unknown values are empty: `$X sudo` is `sudo`. Undefined if it has none. */
export function withoutVanished(words: readonly Word[]): readonly Word[] | undefined {
  if (!words.some(mayVanish)) return undefined;
  const kept = words.filter((item) => !mayVanish(item));
  return kept.length === 0 ? undefined : kept.map(withoutOthers);
}

function withoutOthers({ text, glob, open }: Word): Word {
  return open === undefined ? { text, glob } : { text, glob, open };
}

function otherWords(item: Word, index: number): readonly Word[] {
  const other = item.others?.[index % item.others.length];
  return other === undefined ? [withoutOthers(item)] : splitText(other).map((text) => ({ text, glob: item.glob }));
}

/** Programs that pass whole lines through and read nothing else, with the options for which this holds. */
const PASSES_LINES: Readonly<Record<string, RegExp>> = {
  sort: /^(?:-[bdfghiMnRrVsu]+)?$/,
  uniq: /^(?:-[diu]+)?$/,
  tac: /^$/,
  shuf: /^(?:-n ?\d+)?$/,
  head: /^(?:-(?:n ?)?\d+)?$/,
  tail: /^(?:-(?:n ?)?\d+)?$/,
  grep: /^(?:-[EFGPvivwx]+ )*[^-\s]\S*$/,
  egrep: /^(?:-[vivwx]+ )*[^-\s]\S*$/,
};

/** What a command with this argv writes to the next one in a pipeline. */
export function feedFrom(argv: readonly Word[], feed: Feed): Feed {
  const [first = word(""), ...rest] = argv;
  const { program } = programName(first.text);
  if (program === "echo" || program === "printf") return printedFeed(program, rest);
  if (program === "cat" && rest.length === 0) return feed;
  const filter = Object.hasOwn(PASSES_LINES, program) ? PASSES_LINES[program] : undefined;
  if (filter !== undefined && passesLines(filter, rest)) return feed.kind === "files" ? feed : { kind: "unknown" };
  const files = listedFiles(program, rest);
  return files === undefined ? { kind: "unknown" } : { kind: "files", files };
}

/** An unknown word or a pattern may expand to files to read, and their lines are not file names. */
function passesLines(filter: RegExp, words: readonly Word[]): boolean {
  const line = plainLine(words.map(({ text }) => text));
  return (words.length === 0 || line !== "") && words.every(isKnown) && filter.test(line);
}

function printedFeed(program: "echo" | "printf", words: readonly Word[]): Feed {
  const names = words.filter(({ text }) => text !== "-n");
  if (program === "echo" && words.some(({ glob }) => glob) && !names.some(({ text }) => /^-|[\s'"\\]/.test(text)))
    return names.some(({ text }) => isVariable(text)) ? { kind: "unknown" } : { kind: "files", files: names };
  const printed = printedText(program, words);
  if (printed === undefined) return { kind: "unknown" };
  return { kind: "text", text: printed.text ?? printed.likely, sure: printed.text !== undefined };
}

const SYSTEM_FOLDERS = new Set([
  "/bin",
  "/sbin",
  "/usr/bin",
  "/usr/sbin",
  "/usr/local/bin",
  "/usr/local/sbin",
  "/opt/homebrew/bin",
]);

/**
 * The name of a command for the rules (`program`) and for the tables (`name`). A program given by path is also read.
 */
function programName(text: string): {
  readonly program: string;
  readonly name: string;
  readonly effects: readonly Effect[];
} {
  const strange = /[^\u0000-\u007e]/.test(text)
    ? [doubt("program-letters", "the program's name contains look-alike letters, or no letters")]
    : [];
  if (!text.includes("/")) return { program: text, name: text, effects: strange };
  const path = text.startsWith("/") ? lexicalPath(text, "/") : text;
  const at = path.lastIndexOf("/");
  const name = path.slice(at + 1);
  if (SYSTEM_FOLDERS.has(path.slice(0, at))) return { program: name, name, effects: strange };
  return { program: text, name, effects: [...strange, { kind: "read", word: word(text) }] };
}

/** An argv with the subcommand directly after the program, and the effects of the options in between. */
interface Canonical {
  readonly words: readonly Word[];
  readonly effects: readonly Effect[];
}

const BEFORE_SUBCOMMAND: Readonly<Record<string, ProgramGrammar>> = {
  git: before(
    "-C/ -c: -p? -P --no-pager --paginate? --no-replace-objects --no-optional-locks --no-lazy-fetch --no-advice --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --bare? --version --help -h -v --html-path --man-path --info-path --exec-path& --git-dir& --work-tree& --namespace& --config-env& --super-prefix& --attr-source&",
  ),
  npm: before(
    "--prefix/ -C/ -s --silent -q --quiet -d --verbose --loglevel: -w/ --workspace/ --workspaces --if-present --no-fund --no-audit --ignore-scripts --version -v --help",
  ),
  pnpm: before(
    "-C/ --dir/ -r --recursive -w --workspace-root --filter: -F: -s --silent --if-present --version -v --help",
  ),
  yarn: before("--cwd/ -s --silent --version -v --help"),
  cargo: before(
    "-C/ -q --quiet -v --verbose --color: --locked --offline --frozen --config& -Z& --version -V --list --help",
  ),
  go: { ...before("-C/"), style: "first" },
  mvn: before(
    "-q -B -X -e -o -U -v --version -T: -P: --quiet --batch-mode --offline --no-transfer-progress -f/ --file/",
  ),
  "./gradlew": before(
    "-q -i -d -v --version --quiet --info --debug --offline --stacktrace --continue --parallel --no-daemon --daemon --console: -p/ --project-dir/",
  ),
  docker: before("-D --debug -c& --context& -H& --host& --config& --version -v -l: --log-level:"),
  kubectl: before("-n: --namespace: --context& --kubeconfig& -s& --server& --cluster& --user& --token& --as& -v:"),
  gh: before("-R& --repo& --hostname@ --version"),
  terraform: { options: "-chdir/", operands: ":", style: "long", open: true },
};

/** Their own tables know all options, in any position. */
const JUDGED_WHOLE = new Set(["mvn", "./gradlew"]);

function before(options: string): ProgramGrammar {
  return { options, operands: ":", style: "first" };
}

/** Skips the options between a program and its subcommand. */
function canonicalise(program: string, words: readonly Word[]): Canonical {
  const grammar = Object.hasOwn(BEFORE_SUBCOMMAND, program) ? BEFORE_SUBCOMMAND[program] : undefined;
  const [first, ...rest] = words;
  const option = rest[0]?.text ?? "";
  if (first === undefined || grammar === undefined || !/^[-+]/.test(option)) return { words, effects: [] };
  const toolchain = program === "cargo" && option.startsWith("+");
  if (toolchain && !/^\+[\w.-]+$/.test(option))
    return { words, effects: [doubt("toolchain", "the toolchain is selected by path")] };
  const given = readArguments(grammar, toolchain ? rest.slice(1) : rest);
  if (given.strange.length > 0 && JUDGED_WHOLE.has(program)) return { words, effects: [] };
  if (given.operands.length === 0) return { words, effects: effectsOf(grammar, given) };
  const settings =
    program === "git" ? given.options.filter(({ name }) => name === "-c").flatMap(({ value }) => value ?? []) : [];
  return {
    words: [first, ...given.operands],
    effects: [...effectsOf(grammar, given), ...settings.flatMap(settingEffects)],
  };
}
