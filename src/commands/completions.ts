import { Command } from "commander";
import { shQuote } from "../lib/text/shell-words.ts";
import { EXIT, UserError } from "../lib/text/user-error.ts";
import type { CommandModule, Verb } from "./command-module.ts";

const entry = (name: string, help: string) => shQuote(`${name}:${help.replaceAll(":", "\\:")}`);

const BEHIND = { nothing: "", "a file": " -r -F", "a value": " -x" } as const;

const quote = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript };

export const command: CommandModule = {
  firstWords: () => Object.keys(SHELLS),

  configure(command: Command) {
    command
      .argument("<shell>", "bash, zsh or fish")
      .addHelpText(
        "after",
        '\nExamples:\n  signalbox completions bash > ~/.local/share/bash-completion/completions/signalbox\n  signalbox completions zsh > "${fpath[1]}/_signalbox"\n  signalbox completions fish > ~/.config/fish/completions/signalbox.fish',
      );
  },

  async run({ words, verbs }) {
    const write = Object.entries(SHELLS).find(([name]) => name === words[0])?.[1];
    if (write === undefined)
      throw new UserError("unknown shell", {
        where: "completions",
        fix: "use bash, zsh or fish",
      });
    process.stdout.write(write(await Promise.all(verbs.map(completedVerb))));
    return EXIT.ok;
  },
};

export interface CompletedFlag {
  readonly long: string;
  readonly short: string | undefined;
  readonly help: string;
  /** What the flag takes as its value. */
  readonly takes: "nothing" | "a file" | "a value";
}

export interface CompletedVerb {
  readonly name: string;
  readonly summary: string;
  readonly firstWords: readonly string[];
  /** True where every further word is of the same kind. */
  readonly manyWords: boolean;
  readonly flags: readonly CompletedFlag[];
}

/** A verb with its words and flags, read from the command itself so that they always match. */
export async function completedVerb({ name, summary, load }: Verb): Promise<CompletedVerb> {
  const probe = new Command(name);
  const { command: module } = await load();
  module.configure(probe, name);
  const flags = probe.options.flatMap(({ long, short, description, flags: declaration }): CompletedFlag[] =>
    long == null ? [] : [{ long, short: short ?? undefined, help: description, takes: takesOf(declaration) }],
  );
  return {
    name,
    summary,
    firstWords: module.firstWords?.() ?? [],
    manyWords: probe.registeredArguments[0]?.name() === "agents",
    flags: [...flags, { long: "--help", short: "-h", help: "show this help", takes: "nothing" }],
  };
}

/** Derived from the flag's declaration: `--prompt-file <file>`. */
function takesOf(declaration: string): CompletedFlag["takes"] {
  if (/<(?:file|dir)>/.test(declaration)) return "a file";
  return declaration.includes("<") ? "a value" : "nothing";
}

/** Both spellings of the flags that take a value. */
export function spelled(verb: CompletedVerb, takes: CompletedFlag["takes"]): readonly string[] {
  return verb.flags
    .filter((flag) => flag.takes === takes)
    .flatMap(({ long, short }) => (short === undefined ? [long] : [short, long]));
}

/** For bash 3.2 and newer, because macOS ships 3.2. Where we offer nothing, bash completes file names. */
export function bashScript(verbs: readonly CompletedVerb[]): string {
  const cases = verbs.map((verb) => {
    const takers = [...spelled(verb, "a file"), ...spelled(verb, "a value")];
    return `    ${verb.name})
      flags="${verb.flags.map(({ long }) => long).join(" ")}"
      first="${verb.firstWords.join(" ")}" more="${verb.manyWords ? verb.firstWords.join(" ") : ""}"
      takers=" ${takers.join(" ")} " ;;`;
  });
  return `# bash completion for signalbox
_signalbox() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="" flags="" first="" more="" takers="" offered="" at
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${verbs.map(({ name }) => name).join(" ")} help --help --version" -- "$current"))
    return
  fi
  for ((at = 2; at < COMP_CWORD; at++)); do
    if [ "\${COMP_WORDS[at]}" = "--" ]; then return; fi
  done
  case "\${COMP_WORDS[1]}" in
    help) first="${verbs.map(({ name }) => name).join(" ")}" ;;
${cases.join("\n")}
  esac
  before="\${COMP_WORDS[COMP_CWORD - 1]}"
  case "$takers" in *" $before "*) return ;; esac
  if [ "$before" = "=" ] || [ "$current" = "=" ]; then return; fi
  if [ "$COMP_CWORD" -eq 2 ]; then offered="$first $flags"; else offered="$more $flags"; fi
  COMPREPLY=($(compgen -W "$offered" -- "$current"))
}
complete -o default -F _signalbox signalbox
`;
}

export function zshScript(verbs: readonly CompletedVerb[]): string {
  const cases = verbs.map(
    (verb) => `    ${verb.name})
      first=(${verb.firstWords.map(shQuote).join(" ")})
      many=${verb.manyWords ? 1 : 0}
      files=(${spelled(verb, "a file").map(shQuote).join(" ")})
      values=(${spelled(verb, "a value").map(shQuote).join(" ")})
      flags=(${verb.flags.map((flag) => entry(flag.long, flag.help)).join(" ")}) ;;`,
  );
  const names = verbs.map((verb) => entry(verb.name, verb.summary)).join(" ");
  return `#compdef signalbox
_signalbox() {
  local -a verbs first files values flags
  local many=0 before="$words[CURRENT-1]"
  verbs=(${names})
  if (( CURRENT == 2 )); then
    _describe command verbs
    return
  fi
  if (( \${words[(i)--]} < CURRENT )); then
    _files
    return
  fi
  case "$words[2]" in
    help) first=(\${verbs%%:*}) ;;
${cases.join("\n")}
  esac
  if (( \${files[(Ie)$before]} )); then
    _files
    return
  fi
  if (( \${values[(Ie)$before]} )); then
    _message value
    return
  fi
  local found=1
  if (( CURRENT == 3 || many )) && (( $#first )); then
    _describe word first && found=0
  fi
  _describe flag flags && found=0
  (( found == 0 )) || _files
}
if [ "$funcstack[1]" = _signalbox ]; then
  _signalbox "$@"
else
  compdef _signalbox signalbox
fi
`;
}

export function fishScript(verbs: readonly CompletedVerb[]): string {
  const lines = verbs.flatMap((verb) => [
    `complete -c signalbox -n '__signalbox_at 1' -a ${verb.name} -d ${quote(verb.summary)}`,
    `complete -c signalbox -n '__signalbox_at 2; and __signalbox_verb help' -a ${verb.name} -d ${quote(verb.summary)}`,
    ...wordLines(verb),
    ...verb.flags.map((flag) => flagLine(verb, flag)),
  ]);
  return `# fish completion for signalbox
function __signalbox_at
    test (count (commandline -opc)) -eq $argv[1]
end
function __signalbox_passed
    contains -- -- (commandline -opc)
end
function __signalbox_verb
    set -l words (commandline -opc)
    test "$words[2]" = $argv[1]; and not __signalbox_passed
end
complete -c signalbox -f
complete -c signalbox -n __signalbox_passed -F
${lines.join("\n")}
`;
}

function wordLines({ name, firstWords, manyWords }: CompletedVerb): readonly string[] {
  if (firstWords.length === 0) return [];
  const where = manyWords ? `__signalbox_verb ${name}` : `__signalbox_at 2; and __signalbox_verb ${name}`;
  return [`complete -c signalbox -n ${quote(where)} -a ${quote(firstWords.join(" "))}`];
}

function flagLine({ name }: CompletedVerb, { long, short, help, takes }: CompletedFlag): string {
  const spelling = `${short === undefined ? "" : ` -s ${short.slice(1)}`} -l ${long.slice(2)}`;
  return `complete -c signalbox -n ${quote(`__signalbox_verb ${name}`)}${spelling}${BEHIND[takes]} -d ${quote(help)}`;
}
