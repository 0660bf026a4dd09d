import { type CompletedVerb, spelled } from "./completed-verb.ts";

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
