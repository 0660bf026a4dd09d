import { Command } from "commander";
import { EXIT, UserError } from "../lib/user-error.ts";
import { type CommandModule, type Verb, VERBS } from "./verbs.ts";

const SHELLS = { bash, zsh, fish };

export const command: CommandModule = {
  configure(command: Command) {
    command
      .argument("<shell>", "bash, zsh or fish")
      .addHelpText(
        "after",
        '\nExamples:\n  signalbox completions bash > ~/.local/share/bash-completion/completions/signalbox\n  signalbox completions zsh > "${fpath[1]}/_signalbox"\n  signalbox completions fish > ~/.config/fish/completions/signalbox.fish',
      );
  },

  async run({ words }) {
    const write = Object.entries(SHELLS).find(([name]) => name === words[0])?.[1];
    if (write === undefined)
      throw new UserError("there is no completion for that shell", {
        where: "completions",
        fix: "use bash, zsh or fish",
      });
    process.stdout.write(write(await Promise.all(VERBS.map(completed))));
    return EXIT.ok;
  },
};

interface Completed {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly { readonly long: string; readonly help: string }[];
}

/** A verb with its flags, read from the command itself so that the two never differ. */
async function completed({ name, summary, load }: Verb): Promise<Completed> {
  const probe = new Command(name);
  (await load()).command.configure(probe, name);
  const flags = probe.options.flatMap((option) =>
    option.long == null ? [] : [{ long: option.long, help: option.description }],
  );
  return { name, summary, flags: [...flags, { long: "--help", help: "show the usage" }] };
}

function bash(verbs: readonly Completed[]): string {
  const cases = verbs.map((verb) => `    ${verb.name}) words="${verb.flags.map((flag) => flag.long).join(" ")}" ;;`);
  return `# bash completion for signalbox
_signalbox() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${verbs.map((verb) => verb.name).join(" ")} --help --version"
  else case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
  esac; fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o default -F _signalbox signalbox
`;
}

function zsh(verbs: readonly Completed[]): string {
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const entry = (name: string, help: string) => quote(`${name}:${help.replaceAll(":", "\\:")}`);
  const cases = verbs.map(
    (verb) => `    ${verb.name}) entries=(${verb.flags.map((flag) => entry(flag.long, flag.help)).join(" ")}) ;;`,
  );
  return `#compdef signalbox
_signalbox() {
  local -a entries
  if (( CURRENT == 2 )); then
    entries=(${verbs.map((verb) => entry(verb.name, verb.summary)).join(" ")})
    _describe command entries
    return
  fi
  case "$words[2]" in
${cases.join("\n")}
  esac
  _describe flag entries || _files
}
if [ "$funcstack[1]" = _signalbox ]; then
  _signalbox "$@"
else
  compdef _signalbox signalbox
fi
`;
}

function fish(verbs: readonly Completed[]): string {
  const quote = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = verbs.flatMap((verb) => [
    `complete -c signalbox -n __fish_use_subcommand -f -a ${verb.name} -d ${quote(verb.summary)}`,
    ...verb.flags.map(
      (flag) =>
        `complete -c signalbox -n ${quote(`__fish_seen_subcommand_from ${verb.name}`)} -l ${flag.long.slice(2)} -d ${quote(flag.help)}`,
    ),
  ]);
  return `# fish completion for signalbox\n${lines.join("\n")}\n`;
}
